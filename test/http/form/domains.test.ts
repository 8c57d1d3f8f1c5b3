/** Sending domains in the form dialect, as its clients see them. */
import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { type Service, startService } from '../../support/service.ts'
import { assertFormError, basic, call } from '../requests.ts'
import { newestClient, oldClient } from './clients.ts'

/** An RSA key that can be read, but makes no valid signatures: its halves are of two keys. */
function brokenKey(): string {
  const [own, other] = [0, 1].map(() => {
    return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  })
  const { n, e } = own!
  const key = createPrivateKey({ key: { ...other!, n: n!, e: e! }, format: 'jwk' })
  return String(key.export({ type: 'pkcs1', format: 'pem' }))
}

describe('domains of the form dialect', () => {
  let service: Service
  let dns: FakeDns
  let companyId: string
  let manager: string
  let reader: string
  let mg: ReturnType<typeof newestClient>
  const zone: Record<string, string[]> = {}

  before(async () => {
    dns = await startDns(zone)
    service = await startService({ dnsServers: [dns.address] })
    const { company, key } = await service.tenant('first.test')
    companyId = company.id
    reader = key.token
    manager = (await service.key(companyId, { scopes: ['management', 'reading'] })).token
    await service.tenant('foreign.test')
    mg = newestClient(service.url, manager)
  })
  after(async () => {
    await service.close()
    await dns.close()
  })

  const get = (path: string, token = manager) =>
    call(`${service.url}${path}`, { headers: { authorization: basic(token) } })

  test('a domain is added, shown with its records, verified, and listed', async () => {
    const made = await mg.domains.create({ name: 'Second.test' })
    assert.equal(made.name, 'second.test')
    assert.equal(made.state, 'unverified')
    const [dkim] = made.sending_dns_records!
    assert.match(dkim!.name, /^pr\d{8}\._domainkey\.second\.test$/)
    assert.equal(dkim!.valid, 'unknown')

    zone[`${dkim!.name}/TXT`] = [dkim!.value]
    zone['second.test/TXT'] = ['v=spf1 -all']
    const verified = await mg.domains.verify('second.test')
    assert.equal(verified.state, 'active')
    assert.equal(verified.sending_dns_records![0]!.valid, 'valid')
    const shown = await mg.domains.get('second.test')
    assert.equal(shown.id, made.id)
    // Every record as the last check has found it, as in `domain show`.
    const records = shown.sending_dns_records as { name: string; valid: string }[]
    assert.deepEqual(
      records.map(({ name, valid }) => [name, valid]),
      [
        [dkim!.name, 'valid'],
        ['second.test', 'invalid'],
        ['_dmarc.second.test', 'unknown'],
      ],
    )
    assert.ok(Math.abs(shown.created_at.getTime() - Date.now()) < 60_000)

    const listed = await mg.domains.list({ search: 'second', state: 'active' })
    assert.deepEqual(
      listed.map(({ name, state }) => [name, state]),
      [['second.test', 'active']],
    )
  })

  test('the old client sees the same', async () => {
    const old = oldClient(service.url, manager, 'first.test')
    const { items, total_count } = await old.get('/domains')
    assert.deepEqual(
      (items as { name: string }[]).map(({ name }) => name),
      ['first.test', 'second.test'],
    )
    assert.equal(total_count, 2)
    assert.equal(((await old.get('/domains/first.test')).domain as { state: string }).state, 'active')
    const page = await old.get('/domains', { limit: 1, skip: 1 })
    assert.deepEqual([(page.items as unknown[]).length, page.total_count], [1, 2])
  })

  test('its tracking settings are kept', async () => {
    const { domainTracking } = mg.domains
    const before = await domainTracking.getTracking('first.test')
    assert.deepEqual([before.open.active, before.click.active], [false, false])
    assert.match(before.unsubscribe.html_footer, /%unsubscribe_url%/)
    // As the WordPress plugin asks.
    assert.equal((await get('/v3/domains/first.test/tracking?sess=')).status, 200)
    await domainTracking.updateTracking('first.test', 'open', { active: true, place_at_the_top: true })
    await domainTracking.updateTracking('first.test', 'click', { active: 'htmlonly' })
    const changed = await domainTracking.updateTracking('first.test', 'unsubscribe', {
      active: 'yes',
      text_footer: 'Leave: %unsubscribe_url%',
    })
    assert.equal(changed.message, 'Domain tracking settings have been updated')
    const { tracking } = (await get('/v3/domains/first.test/tracking?sess=')).body
    assert.deepEqual(tracking, {
      open: { active: true, place_at_the_top: true },
      click: { active: 'htmlonly' },
      unsubscribe: {
        active: true,
        html_footer: before.unsubscribe.html_footer,
        text_footer: 'Leave: %unsubscribe_url%',
      },
      web_scheme: 'https',
    })
    // What is not named stays as it is.
    const put = (of: string, fields: Record<string, string>) =>
      call(`${service.url}/v3/domains/first.test/tracking/${of}`, {
        method: 'PUT',
        headers: { authorization: basic(manager) },
        body: new URLSearchParams(fields),
      })
    const top = await put('open', { place_at_the_top: 'no' })
    assert.deepEqual(top.body.open, { active: true, place_at_the_top: false }, top.text)
    assert.deepEqual((await put('click', {})).body.click, { active: 'htmlonly' })
  })

  test('the scheme of its links is kept and shown', async () => {
    const updated = await mg.domains.update('first.test', { web_scheme: 'http' })
    assert.equal(updated.web_scheme, 'http')
    assert.equal((await mg.domains.get('first.test')).web_scheme, 'http')
    const { tracking } = (await get('/v3/domains/first.test/tracking')).body
    assert.equal((tracking as Record<string, unknown>).web_scheme, 'http')
    const made = await mg.domains.create({ name: 'scheme.test', web_scheme: 'http' })
    assert.equal(made.web_scheme, 'http')
    await mg.domains.destroy('scheme.test')
    await mg.domains.update('first.test', { web_scheme: 'https' })
  })

  test('settings that match the fixed behaviour are accepted, and others refused', async () => {
    const updated = await mg.domains.update('first.test', { web_scheme: 'https', wildcard: false })
    assert.equal(updated.name, 'first.test')
    for (const data of [{ web_scheme: 'ftp' as 'http' }, { wildcard: true }, { message_ttl: 60 }] as const) {
      await assert.rejects(mg.domains.update('first.test', data), { status: 400 })
    }
    const insisting = { name: 'insisting.test', require_tls: true } as { name: string }
    await assert.rejects(mg.domains.create(insisting), { status: 400, details: /require_tls/ })
    assertFormError(await get('/v3/domains/insisting.test'), 404)
  })

  test('its DKIM keys are listed, and it is removed for good', async () => {
    await mg.domains.create({ name: 'gone.test', web_scheme: 'https' })
    const { items } = await mg.domains.domainKeys.list('gone.test')
    const [key] = items as { selector: string; dns_record: { name: string } }[]
    assert.equal(key!.dns_record.name, `${key!.selector}._domainkey.gone.test`)
    const all = (await get('/v1/dkim/keys?signing_domain=gone.test')).body
    assert.deepEqual(
      (all.items as { selector: string }[]).map(({ selector }) => selector),
      [key!.selector],
    )
    await mg.domains.destroy('gone.test')
    assertFormError(await get('/v4/domains/gone.test'), 404, 'Domain not found: gone.test')
  })

  test('more DKIM keys are created, sign, are renamed and removed', async () => {
    const keys = mg.domains.domainKeys
    await mg.domains.create({ name: 'keys.test' })
    const made = await keys.create({ signingDomain: 'keys.test', selector: 'new', bits: '2048' })
    assert.deepEqual([made.selector, made.dns_record.is_active], ['new', false])
    assert.equal(made.dns_record.name, 'new._domainkey.keys.test')
    const [first] = (await keys.list('keys.test')).items
    const active = async () => {
      const { items } = await keys.list('keys.test')
      return items.filter(({ dns_record }) => dns_record.is_active).map(({ selector }) => selector)
    }
    assert.deepEqual(await active(), [first!.selector])
    const only = { status: 409, details: /the only key that signs/ }
    await assert.rejects(keys.deactivate('keys.test', first!.selector), only)
    const { status: _, ...activated } = await keys.activate('keys.test', 'new')
    const message = 'domain key activated'
    assert.deepEqual(activated, { message, authority: 'keys.test', selector: 'new', active: true })
    await keys.deactivate('keys.test', first!.selector)
    assert.deepEqual(await active(), ['new'])
    assert.match((await keys.updateDKIMSelector('keys.test', { dkimSelector: 'newer' })).message, /updated/)
    assert.deepEqual(await active(), ['newer'])
    await assert.rejects(keys.destroy('keys.test', 'newer'), only)
    assert.equal((await keys.destroy('keys.test', first!.selector)).message, 'success')
    assert.equal((await keys.list('keys.test')).items.length, 1)
    assert.equal((await keys.updateDKIMAuthority('keys.test', { self: 'true' })).changed, false)

    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const brought = await keys.create({ signingDomain: 'keys.test', selector: 'own', pem })
    assert.match(brought.dns_record.value, /k=ed25519/)
    const broken = brokenKey()
    for (const data of [
      { selector: 'newer' },
      { selector: 'a_b' },
      { selector: 'c', pem: 'none' },
      { selector: 'd', pem: broken },
    ]) {
      await assert.rejects(keys.create({ signingDomain: 'keys.test', ...data }), { status: 400 })
    }
    await assert.rejects(keys.destroy('keys.test', 'nothing'), { status: 404 })
  })

  test('its connection settings are its demand on TLS, and its queues say whether it sends', async () => {
    const flagsOf = ({ require_tls, skip_verification }: Record<string, unknown>) => [
      require_tls,
      skip_verification,
    ]
    assert.deepEqual(flagsOf({ ...(await mg.domains.getConnection('first.test')) }), [false, false])
    for (const [required, skipped] of [
      [true, false],
      [true, true],
      [false, false],
    ] as const) {
      await mg.domains.updateConnection('first.test', {
        require_tls: required,
        skip_verification: skipped,
      })
      const shown = await get('/v3/domains/first.test/connection')
      assert.deepEqual(flagsOf(shown.body as Record<string, unknown>), [required, skipped])
      const { domain } = (await get('/v4/domains/first.test')).body as { domain: Record<string, unknown> }
      assert.deepEqual(flagsOf(domain), [required, skipped])
    }
    const put = await call(`${service.url}/v3/domains/first.test/connection`, {
      method: 'PUT',
      headers: { authorization: basic(manager) },
      body: new URLSearchParams({ skip_verification: 'true' }),
    })
    assertFormError(put, 400, /skip_verification.* only together with require_tls/)
    const { regular } = (await get('/v3/domains/first.test/sending_queues')).body
    assert.deepEqual(regular, { is_disabled: false })
  })

  test('requests beyond the caller’s rights are refused', async () => {
    assertFormError(await get('/v3/domains/foreign.test'), 404, 'Domain not found: foreign.test')
    assertFormError(await get('/v3/domains/-'), 404, 'Domain not found: -')
    const add = { method: 'POST', headers: { authorization: basic(reader) } }
    assertFormError(await call(`${service.url}/v4/domains`, add), 403, /management scope/)
    const taken = { ...add, headers: { authorization: basic(manager) } }
    const body = (name: string) => ({ ...taken, body: new URLSearchParams({ name }) })
    // The answer does not reveal the holder of the name.
    assert.equal((await call(`${service.url}/v3/domains`, body('foreign.test'))).status, 200)
    assertFormError(await call(`${service.url}/v3/domains`, body('foreign.test')), 400, /already/)
    const unseen = await get('/v3/domains/foreign.test')
    assert.equal((unseen.body.domain as { state: string }).state, 'unverified')
    assertFormError(await call(`${service.url}/v3/domains`, body('-')), 400)
    assertFormError(await call(`${service.url}/v3/domains`, body('')), 400)
  })
})

describe('DKIM by CNAME records in the form dialect', () => {
  let service: Service
  let manager: string
  before(async () => {
    service = await startService({ dkimZone: 'dkim.service.test' })
    const { company } = await service.tenant('txt.test')
    manager = (await service.key(company.id, { scopes: ['management', 'reading'] })).token
  })
  after(() => service.close())

  const ask = async (method: string, path: string, fields: Record<string, string> = {}) => {
    const headers = { authorization: basic(manager) }
    const body = method === 'GET' ? {} : { body: new URLSearchParams(fields) }
    return await call(`${service.url}${path}`, { method, headers, ...body })
  }
  type Records = { record_type: string; name: string; value: string }[]
  const domainIn = ({ body }: { body: Record<string, unknown> }) => body.domain as Record<string, unknown>
  const types = (records: Records) => records.map(({ record_type, name }) => `${record_type} ${name}`)

  test('a new domain uses it unless it is turned off, and an active domain can switch to it', async () => {
    const made = await ask('POST', '/v4/domains', { name: 'new.test' })
    assert.equal(domainIn(made).use_automatic_sender_security, true)
    assert.deepEqual(types(made.body.sending_dns_records as Records).slice(0, 2), [
      'CNAME pr1._domainkey.new.test',
      'CNAME pr2._domainkey.new.test',
    ])
    const off = { name: 'own.test', use_automatic_sender_security: 'false' }
    const own = await ask('POST', '/v4/domains', off)
    assert.equal(domainIn(own).use_automatic_sender_security, false)
    assert.match(types(own.body.sending_dns_records as Records)[0]!, /^TXT pr\d{8}\./)

    const moved = await ask('PUT', '/v4/domains/txt.test', { use_automatic_sender_security: 'yes' })
    assert.equal(domainIn(moved).use_automatic_sender_security, true)
    assert.deepEqual(
      types(moved.body.sending_dns_records as Records)
        .map((text) => text.replace(/\d{8}/, 'DATE'))
        .slice(0, 3),
      ['TXT prDATE._domainkey.txt.test', 'CNAME pr1._domainkey.txt.test', 'CNAME pr2._domainkey.txt.test'],
    )
    const same = await ask('PUT', '/v4/domains/txt.test', { use_automatic_sender_security: 'yes' })
    assert.equal(same.status, 200)
  })

  test('keys are rotated on request, or automatically at the interval that was set', async () => {
    await service.tenant('foreign.test')
    const { id } = (await service.store.accounts()).domains.find(({ name }) => name === 'new.test')!
    await service.store.updateDomain(id, { sending: 'active' })
    await service.app.refreshAccounts()
    const url = '/v1/dkim_management/domains/new.test'
    const set = await ask('PUT', `${url}/rotation`, { rotation_enabled: 'true', rotation_interval: '30d' })
    const { active_selector, rotation_enabled, rotation_interval, records } = domainIn(set)
    assert.deepEqual([active_selector, rotation_enabled, rotation_interval], ['pr1', 'true', '720h'])
    assert.equal((records as unknown[]).length, 2)
    const off = await ask('PUT', `${url}/rotation`, { rotation_enabled: 'false' })
    assert.deepEqual([domainIn(off).rotation_enabled, domainIn(off).rotation_interval], ['false', ''])
    const short = { rotation_enabled: 'true', rotation_interval: '5d' }
    assertFormError(await ask('PUT', `${url}/rotation`, short), 400, /every 8 to 1825 days/)
    assert.deepEqual((await ask('POST', `${url}/rotate`)).body, { message: 'ok' })
    const { dkim } = (await service.store.findDomain(id))!
    assert.deepEqual(
      dkim.map(({ rotation }) => rotation?.stage),
      [undefined, 'next'],
    )
    assertFormError(await ask('POST', `${url}/rotate`), 409, /already waiting .* for an hour$/)
    const own = '/v1/dkim_management/domains/own.test/rotate'
    assertFormError(await ask('POST', own), 400, /use_automatic_sender_security/)
    const foreign = await ask('POST', '/v1/dkim_management/domains/foreign.test/rotate')
    assert.equal(foreign.status, 404)
  })
})
