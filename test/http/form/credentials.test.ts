/** SMTP logins of the form dialect: keys that may only send, from one domain. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'
import { newestClient } from './clients.ts'

describe('credentials of the form dialect', () => {
  let service: Service
  let key: string
  let companyId: string
  let domainId: string

  before(async () => {
    service = await startService()
    const { company, domain } = await service.tenant('smtp.test')
    ;[companyId, domainId] = [company.id, domain.id]
    key = (await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })).token
  })
  after(() => service.close())

  const ask = (method: string, path = '', fields: Record<string, string> = {}): Promise<Reply> =>
    call(`${service.url}/v3/domains/smtp.test/credentials${path}`, {
      method,
      headers: { authorization: basic(key) },
      ...(method !== 'GET' && method !== 'DELETE' && { body: new URLSearchParams(fields) }),
    })

  test('a login is created, works, is changed and is removed', async () => {
    const made = await ask('POST', '', { login: 'alice' })
    assert.equal(made.status, 200, made.text)
    assert.equal(made.body.message, 'Created 1 credentials pair(s)')
    const { 'alice@smtp.test': token } = made.body.credentials as Record<string, string>
    const send = (password: string) =>
      new Api(service.url, password).form('smtp.test', [
        ['from', 'me@smtp.test'],
        ['to', 'x@x.test'],
        ['text', 'x'],
      ])
    assert.equal((await send(token!)).status, 200)

    const mg = newestClient(service.url, key)
    const { items, totalCount } = await mg.domains.domainCredentials.list('smtp.test', { limit: 10, skip: 0 })
    assert.deepEqual([items.map(({ login }) => login), totalCount], [['alice@smtp.test'], 1])

    assertFormError(await ask('POST', '', { login: 'Alice@smtp.test' }), 400, /already exists/)
    const changed = await ask('PUT', '/alice')
    const { 'alice@smtp.test': other } = changed.body.credentials as Record<string, string>
    assert.equal((await send(other!)).status, 200)
    await service.app.refreshAccounts()
    assert.equal((await send(token!)).status, 401)

    const ended = await mg.domains.domainCredentials.destroy('smtp.test', 'alice@smtp.test')
    assert.deepEqual([ended.message, ended.spec], ['Credentials have been deleted', 'alice@smtp.test'])
    await service.app.refreshAccounts()
    assert.equal((await send(other!)).status, 401)
    assertFormError(await ask('DELETE', '/alice'), 404, 'Credentials not found')
  })

  test('invalid requests are refused, and all logins can be removed at once', async () => {
    assertFormError(
      await ask('POST', '', { login: 'bob', password: 'secret' }),
      400,
      /at least 10 characters/,
    )
    assertFormError(await ask('POST', '', { login: 'bob@other.test' }), 400, /domain of the path/)
    assertFormError(await ask('POST', '', {}), 400, 'login parameter is missing')
    for (const login of ['c1', 'c2']) assert.equal((await ask('POST', '', { login })).status, 200)
    assert.deepEqual((await ask('DELETE')).body, {
      message: 'All domain credentials have been deleted',
      count: 2,
    })
    assert.equal((await ask('GET')).body.total_count, 0)
  })
  test('no other key is a login, whatever its name', async () => {
    const sister = await service.domain(companyId, 'sister.test')
    const made = [
      await service.key(companyId, { name: 'boss@smtp.test', domainId: sister.id }),
      await service.key(companyId, { name: 'chief@smtp.test' }),
      await service.key(companyId, { name: 'shop', domainId }),
    ]
    assert.deepEqual((await ask('GET')).body, { total_count: 0, items: [] })
    for (const login of ['boss', 'chief', 'shop']) {
      for (const method of ['PUT', 'DELETE']) {
        assertFormError(await ask(method, `/${login}`), 404, 'Credentials not found')
      }
    }
    assert.equal((await ask('DELETE')).body.count, 0)
    const { keys: all } = await service.store.accounts()
    for (const { id } of made) assert.equal(all.find((each) => each.id === id)!.revokedAt, null)
  })
})
