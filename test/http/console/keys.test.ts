/** API keys through the API of the console. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { STARTTLS } from '../../submission/rig.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError } from '../requests.ts'
import { ok, refused, Visitor } from './visitor.ts'

interface ShownKey {
  id: string
  name: string
  scopes: string[]
  domain: { name: string } | null
  networks: string[]
  expiresAt: string | null
  revokedAt: string | null
  lastUse: object | null
}

describe('API keys in the console', () => {
  let service: Service
  let developer: Visitor
  let viewer: Visitor
  let operator: Visitor
  let at: string
  let domain: string
  let foreign: { company: string; domain: string; key: string }

  before(async () => {
    service = await startService({
      submission: [{ ...STARTTLS, host: '0.0.0.0' }],
      publicUrl: 'https://mail.service.test',
    })
    const tenant = await service.tenant('acme.example')
    const other = await service.tenant('beta.example')
    foreign = { company: other.company.id, domain: other.domain.id, key: other.key.id }
    at = `/companies/${tenant.company.id}/keys`
    domain = tenant.domain.id
    developer = await Visitor.signIn(service, [{ companyId: tenant.company.id, role: 'developer' }])
    viewer = await Visitor.signIn(service, [{ companyId: tenant.company.id, role: 'viewer' }])
    operator = await Visitor.signIn(service, 'operator')
  })
  after(() => service.close())

  const mail = { from: 'a@acme.example', to: 'b@x.test', subject: 's', text: 't' }

  test('a key is created with its bounds, sends, is renamed, and stops working once it is revoked', async () => {
    const input = {
      ...{ name: ' Shop ', scopes: ['sending'], domain, networks: ['127.0.0.1', '10.0.0.0/8'] },
      expiresAt: '2099-01-01T00:00:00.000Z',
    }
    const { key, token } = ok<{ key: ShownKey; token: string }>(await developer.ask('POST', at, input), 201)
    assert.deepEqual(
      [key.name, key.scopes, key.domain?.name, key.expiresAt, key.revokedAt],
      ['Shop', ['sending'], 'acme.example', input.expiresAt, null],
    )
    assert.equal(key.networks.length, 2)
    const api = new Api(service.url, token)
    await service.app.refreshAccounts()
    await api.accepted(mail)
    const one = `${at}/${key.id}`
    assert.equal(ok<ShownKey>(await developer.ask('PATCH', one, { name: 'Shop 2' })).name, 'Shop 2')
    const listed = await viewer.ask('GET', at)
    assert.equal(listed.text.includes(token), false)
    assert.equal(ok<{ keys: ShownKey[] }>(listed).keys[0]!.name, 'Shop 2')
    assert.notEqual(ok<ShownKey>(await developer.ask('DELETE', one)).revokedAt, null)
    assertJsonError(await api.send(mail), 401, 'invalid_api_key')
    refused(await developer.ask('DELETE', one), 409, 'nothing_to_do')
  })

  test('a key is rotated: both keys send until the old one expires, with the same bounds', async () => {
    const input = { name: 'Rotating', scopes: ['sending'], domain, networks: ['127.0.0.1'] }
    const made = ok<{ key: ShownKey; token: string }>(await developer.ask('POST', at, input), 201)
    const rotation = `${at}/${made.key.id}/rotation`
    const endsAt = '2099-01-01T00:00:00.000Z'
    refused(await viewer.ask('POST', rotation, { endsAt }), 403, 'not_allowed')
    refused(await developer.ask('POST', rotation, { endsAt: '2001-01-01T00:00:00Z' }), 422, 'invalid')
    refused(await developer.ask('POST', `${at}/${foreign.key}/rotation`, { endsAt }), 404, 'not_found')
    const rotated = ok<{ key: ShownKey; token: string; old: ShownKey }>(
      await developer.ask('POST', rotation, { endsAt }),
      201,
    )
    assert.deepEqual([rotated.old.id, rotated.old.expiresAt], [made.key.id, endsAt])
    const { id, ...successor } = rotated.key
    assert.notEqual(id, made.key.id)
    assert.deepEqual(
      [successor.name, successor.scopes, successor.domain?.name, successor.networks, successor.expiresAt],
      [input.name, input.scopes, 'acme.example', made.key.networks, null],
    )
    await service.app.refreshAccounts()
    for (const token of [made.token, rotated.token]) await new Api(service.url, token).accepted(mail)
  })

  test('the list shows when, from where and with which client each key was last used', async () => {
    const created = await Promise.all(
      ['used', 'idle'].map((name) => developer.ask('POST', at, { name, scopes: ['sending'] })),
    )
    const ids = created.map((reply) => ok<{ key: ShownKey }>(reply, 201).key.id)
    const use = { at: Date.UTC(2026, 0, 2), address: '192.0.2.1', client: 'app/1' }
    await service.store.noteKeyUses([{ keyId: ids[0]!, ...use }])
    const { keys } = ok<{ keys: ShownKey[] }>(await viewer.ask('GET', at))
    const lastUses = ids.map((id) => keys.find((key) => key.id === id)!.lastUse)
    assert.deepEqual(lastUses, [{ ...use, at: '2026-01-02T00:00:00.000Z' }, null])
  })

  test('an invalid key is refused, and a viewer cannot create one', async () => {
    const valid = { name: 'k', scopes: ['sending'] }
    refused(await developer.ask('POST', at, { ...valid, name: ' ' }), 422, 'invalid')
    refused(await developer.ask('POST', at, { ...valid, scopes: [] }), 422, 'invalid')
    refused(await developer.ask('POST', at, { ...valid, networks: ['nowhere'] }), 422, 'invalid')
    refused(await developer.ask('POST', at, { ...valid, expiresAt: 'tomorrow' }), 422, 'invalid')
    refused(await developer.ask('POST', at, { ...valid, expiresAt: '2001-01-01T00:00:00Z' }), 422, 'invalid')
    refused(await viewer.ask('POST', at, valid), 403, 'not_allowed')
  })

  test('keys and domains of another company are not found, even for operators', async () => {
    refused(await developer.ask('DELETE', `${at}/${foreign.key}`), 404, 'not_found')
    refused(await operator.ask('DELETE', `${at}/${foreign.key}`), 404, 'not_found')
    refused(await developer.ask('GET', `/companies/${foreign.company}/keys`), 404, 'not_found')
    const input = { name: 'k', scopes: ['sending'], domain: foreign.domain }
    refused(await developer.ask('POST', at, input), 404, 'not_found')
    refused(await operator.ask('POST', at, input), 404, 'not_found')
    const all = ok<{ keys: ShownKey[] }>(await operator.ask('GET', '/companies/all/keys'))
    assert.ok(all.keys.some(({ id }) => id === foreign.key))
  })

  test('a session shows where programs reach the service, but not a port that the system has picked', async () => {
    const { installation } = ok<{ installation: { url: string; smtp: object[] } }>(
      await viewer.ask('GET', '/session'),
    )
    assert.deepEqual([installation.url, installation.smtp], ['https://mail.service.test', []])
  })
})
