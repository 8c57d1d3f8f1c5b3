/** Sending domains through the API of the console, from adding a name to sending mail, with a DNS server of the test. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError } from '../requests.ts'
import { ok, refused, Visitor } from './visitor.ts'

interface ShownRecord {
  kind: string
  name: string
  value: string
  zone: string
  required: boolean
  seen: string | null
}
interface Shown {
  id: string
  name: string
  status: string
  sending: string
  records: ShownRecord[]
  dkim: {
    selector: string
    active: boolean
    delegated: boolean
    algorithm: string
    record: string
    stage: string | null
    since: string | null
    keepUntil: string | null
  }[]
  checkedAt: string | null
  speaksFor: { name: string }[]
  relay: { url: string; login: boolean } | null
  companyRelay: { url: string } | null
}
interface Check {
  state: string
  found: string[]
  advice: string | null
  explanation: string | null
  suggestion: string | null
}

describe('domains in the console', () => {
  let dns: FakeDns
  let service: Service
  let operator: Visitor
  let developer: Visitor
  let viewer: Visitor
  let foreigner: Visitor
  let company: string
  let at: string
  let count = 0

  before(async () => {
    dns = await startDns({})
    service = await startService({ dnsServers: [dns.address], hostname: 'mail.service.test' })
    company = (await service.company('Mine')).id
    at = `/companies/${company}/domains`
    const other = (await service.company('Theirs')).id
    operator = await Visitor.signIn(service, 'operator')
    developer = await Visitor.signIn(service, [{ companyId: company, role: 'developer' }])
    viewer = await Visitor.signIn(service, [{ companyId: company, role: 'viewer' }])
    foreigner = await Visitor.signIn(service, [{ companyId: other, role: 'owner' }])
  })
  after(async () => {
    await service.close()
    await dns.close()
  })
  beforeEach(() => {
    for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  })

  async function added(name = `d${count++}.example`): Promise<Shown> {
    return ok(await developer.ask('POST', at, { name }), 201)
  }
  function publish({ records }: Shown): void {
    for (const { name, value } of records) dns.zone[`${name}/TXT`] = [value]
  }
  async function check(domain: Shown, name: string, who = viewer): Promise<Check> {
    return ok(await who.ask('GET', `${at}/${domain.id}/check?name=${encodeURIComponent(name)}`))
  }

  test('a service that is reached without TLS offers no URL for TLS reports', async () => {
    const { body } = await operator.ask('POST', at, { name: 'plain.example.org' })
    const { id } = body as unknown as Shown
    const { status, body: reports } = await operator.ask('GET', `${at}/${id}/reports`)
    assert.equal(status, 200)
    assert.equal((reports as { tlsUrl: string | null }).tlsUrl, null)
  })

  test('a domain is added, published and verified, and sends; DNS is checked record by record', async () => {
    const domain = await added('Shop.Example')
    assert.deepEqual([domain.name, domain.status, domain.sending], ['shop.example', 'pending', 'inactive'])
    assert.deepEqual(
      domain.records.map(({ kind, required, seen }) => [kind, required, seen]),
      [
        ['dkim', true, null],
        ['spf', false, null],
        ['dmarc', false, null],
      ],
    )
    const [dkim, spf, dmarc] = domain.records
    for (const { name } of domain.records) assert.equal((await check(domain, name)).state, 'missing')
    const before = ok<{ domain: Shown; verified: boolean }>(
      await developer.ask('POST', `${at}/${domain.id}/verify`),
    )
    assert.deepEqual([before.verified, before.domain.records[0]!.seen], [false, 'missing'])

    publish(domain)
    dns.zone[`${spf!.name}/TXT`] = ['v=spf1 include:other.test -all', 'site-verification=1']
    dns.zone['other.test/TXT'] = ['v=spf1 ip4:198.51.100.0/24 -all']
    dns.zone[`${dmarc!.name}/TXT`] = ['v=DMARC1; p=reject']
    assert.deepEqual(
      [(await check(domain, dkim!.name)).state, (await check(domain, dkim!.name)).found],
      ['right', [dkim!.value]],
    )
    const other = await check(domain, spf!.name)
    assert.deepEqual(
      [other.state, other.found.length, other.suggestion],
      ['different', 2, 'v=spf1 a:mail.service.test include:other.test -all'],
    )
    assert.match((await check(domain, dmarc!.name)).explanation!, /refused/)
    // Asking changes nothing: verifying does.
    assert.equal(ok<Shown>(await viewer.ask('GET', `${at}/${domain.id}`)).status, 'pending')
    const done = ok<{ domain: Shown; verified: boolean; records: Check[] }>(
      await developer.ask('POST', `${at}/${domain.id}/verify`),
    )
    assert.deepEqual(
      [done.verified, done.domain.status, done.domain.sending, done.records.map(({ state }) => state)],
      [true, 'verified', 'active', ['right', 'different', 'right']],
    )
    const { domains, total } = ok<{ domains: Shown[]; total: number }>(
      await viewer.ask('GET', `${at}?search=SHOP`),
    )
    assert.deepEqual(
      [domains.map(({ name, status }) => [name, status]), total],
      [[['shop.example', 'verified']], 1],
    )
  })

  test('a domain is found by its name in Unicode, as people type it', async () => {
    const { name } = await added('münchen.example')
    assert.equal(name, 'xn--mnchen-3ya.example')
    for (const typed of ['münch', 'MÜNCHEN.ex', 'mu\u0308nchen', 'xn--mnchen'])
      assert.equal(
        ok<{ domains: Shown[] }>(await viewer.ask('GET', `${at}?search=${encodeURIComponent(typed)}`))
          .domains[0]?.name,
        name,
        typed,
      )
  })

  test('a change of several fields at once answers with the DKIM keys after it', async () => {
    await using own = await startService({ dkimZone: 'dkim.service.test' })
    const by = await Visitor.signIn(own, 'operator')
    const domains = `/companies/${(await own.company('Mine')).id}/domains`
    const { id, dkim } = ok<Shown>(await by.ask('POST', domains, { name: 'moved.example' }), 201)
    assert.deepEqual(
      dkim.map(({ delegated }) => delegated),
      [true, true],
    )
    const change = { delegated: false, contentRetention: 3_600_000 }
    const changed = ok<Shown>(await by.ask('PATCH', `${domains}/${id}`, change))
    assert.deepEqual(
      changed.dkim.map(({ delegated }) => delegated),
      [false],
    )
    const shown = ok<Shown>(await by.ask('GET', `${domains}/${id}`))
    assert.deepEqual([changed.dkim, changed.records], [shown.dkim, shown.records])
  })

  test('DNS that does not answer changes nothing, whatever was known; a wrong answer does', async () => {
    const verify = async ({ id }: Shown) => {
      const reply = await developer.ask('POST', `${at}/${id}/verify`)
      const { domain } = ok<{ domain: Shown }>(reply)
      return [domain.status, domain.sending, domain.records[0]!.seen]
    }
    const verified = await added()
    const fresh = await added()
    publish(verified)
    assert.deepEqual(await verify(verified), ['verified', 'active', 'right'])
    const [{ name, value }] = verified.records as [ShownRecord]
    for (const rcode of ['SERVFAIL', 'REFUSED'] as const) {
      for (const { records } of [verified, fresh]) dns.zone[`${records[0]!.name}/TXT`] = { rcode }
      assert.deepEqual(await verify(verified), ['verified', 'active', 'unknown'], rcode)
      assert.deepEqual(await verify(fresh), ['pending', 'inactive', 'unknown'], rcode)
    }
    // The answer of DNS is missing; a domain that was active goes on sending.
    delete dns.zone[`${name}/TXT`]
    assert.deepEqual(await verify(verified), ['pending', 'active', 'missing'])
    dns.zone[`${name}/TXT`] = [value]
    assert.deepEqual(await verify(verified), ['verified', 'active', 'right'])
  })

  test('a record is found at the name to which a provider has appended the zone', async () => {
    const domain = await added('mail.deep.example')
    const [{ name, value }] = domain.records as [ShownRecord]
    dns.zone[`${name}.deep.example/TXT`] = [value]
    assert.match(
      (await check(domain, name)).advice!,
      /appends deep\.example .* Enter pr\d+\._domainkey\.mail as/,
    )
    for (const key of Object.keys(dns.zone)) delete dns.zone[key]
    dns.zone[`${name.replace('.mail.', '.')}/TXT`] = [value]
    assert.match(
      (await check(domain, name)).advice!,
      /is at pr\d+\._domainkey\.deep\.example: .* Enter pr\d+\._domainkey\.mail as/,
    )
  })

  test('DNS that does not answer is reported as such', async () => {
    const domain = await added()
    dns.zone[`${domain.name}/TXT`] = { rcode: 'SERVFAIL' }
    const { state, advice } = await check(domain, domain.name)
    assert.equal(state, 'unknown')
    assert.match(advice!, /did not answer .* Try again/)
  })

  test('a viewer changes nothing; people of other companies see nothing', async () => {
    const domain = await added()
    const one = `${at}/${domain.id}`
    refused(await viewer.ask('POST', at, { name: 'new.example' }), 403, 'not_allowed')
    refused(await viewer.ask('POST', `${one}/verify`), 403, 'not_allowed')
    refused(await viewer.ask('DELETE', one), 403, 'not_allowed')
    for (const who of [viewer, developer]) {
      refused(await who.ask('PUT', `${one}/sending`, { sending: 'active' }), 403, 'not_allowed', /operator/)
      refused(
        await who.ask('PUT', `${one}/relay`, { url: 'smtp://relay.test' }),
        403,
        'not_allowed',
        /operator/,
      )
    }
    refused(await foreigner.ask('GET', one), 404, 'not_found')
    const theirs = one.replace(company, foreigner.person.memberships[0]!.companyId)
    refused(await foreigner.ask('GET', theirs), 404, 'not_found')
    // Nor is it found under another company by a person who sees both.
    refused(await operator.ask('GET', theirs), 404, 'not_found')
    refused(await operator.ask('POST', '/companies/all/domains', { name: 'x.example' }), 422, 'invalid')
  })

  test('an operator activates and suspends a domain', async () => {
    const domain = await added()
    const sending = `${at}/${domain.id}/sending`
    assert.equal(ok<Shown>(await operator.ask('PUT', sending, { sending: 'active' })).sending, 'active')
    const { token } = await service.key(company)
    const api = new Api(service.url, token)
    const mail = { from: `a@${domain.name}`, to: 'b@x.test', subject: 's', text: 't' }
    await service.app.refreshAccounts()
    await api.accepted(mail)
    assert.equal(ok<Shown>(await operator.ask('PUT', sending, { sending: 'suspended' })).sending, 'suspended')
    await service.app.refreshAccounts()
    assertJsonError(await api.send(mail), 403, 'validation_error')
  })

  test('DKIM keys are added, renamed, switched and removed; the last one that signs stays', async () => {
    const domain = await added()
    const keys = `${at}/${domain.id}/dkim`
    const shown = ok<Shown>(await developer.ask('POST', keys, { selector: 'Next' }), 201)
    assert.deepEqual(
      shown.dkim.map(({ selector, active }) => [selector, active]),
      [
        [domain.dkim[0]!.selector, true],
        ['next', false],
      ],
    )
    assert.equal(shown.records.find(({ name }) => name.startsWith('next.'))?.required, false)
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const own = ok<Shown>(await developer.ask('POST', keys, { selector: 'own', pem }), 201)
    assert.equal(own.dkim[2]!.algorithm, 'ed25519-sha256')
    refused(await developer.ask('POST', keys, { selector: 'bad', pem: 'no key' }), 422, 'invalid', /Pem/)
    refused(await developer.ask('POST', keys, { selector: 'next' }), 409, 'already_exists')
    const first = `${keys}/${domain.dkim[0]!.selector}`
    refused(await developer.ask('PATCH', first, { active: false }), 409, 'conflict', /only key that signs/)
    refused(await developer.ask('PATCH', first, {}), 422, 'invalid')
    const on = { active: true }
    refused(
      await developer.ask('PATCH', `${keys}/next`, on),
      409,
      'unconfirmed',
      /DNS has no record at next\./,
    )
    ok(await developer.ask('PATCH', `${keys}/next`, { ...on, force: true }))
    publish(domain)
    const off = { active: false }
    refused(await developer.ask('PATCH', first, off), 409, 'unconfirmed', /only key .* in DNS/)
    ok(await developer.ask('PATCH', first, { ...off, force: true }))
    const to = { selector: 's2' }
    refused(await developer.ask('PATCH', `${keys}/next`, to), 409, 'unconfirmed', /at s2\._domainkey/)
    const renamed = ok<Shown>(await developer.ask('PATCH', `${keys}/next`, { ...to, force: true }))
    assert.equal(renamed.dkim[1]!.record, `s2._domainkey.${domain.name}`)
    const left = ok<Shown>(await developer.ask('DELETE', first))
    assert.deepEqual(
      left.dkim.map(({ selector }) => selector),
      ['s2', 'own'],
    )
  })

  test('a rotation waits for DNS, may be cancelled, and is finished before DNS follows only on purpose', async () => {
    const domain = await added()
    const rotation = `${at}/${domain.id}/rotation`
    refused(await developer.ask('POST', rotation), 409, 'conflict', /has not sent anything yet/)
    publish(domain)
    ok(await developer.ask('POST', `${at}/${domain.id}/verify`))
    refused(await developer.ask('DELETE', rotation), 409, 'nothing_to_do')
    const stages = ({ dkim }: Shown) => dkim.map(({ stage, active }) => stage ?? (active ? 'signs' : 'off'))
    const begun = ok<Shown>(await developer.ask('POST', rotation), 201)
    assert.deepEqual(stages(begun), ['signs', 'next'])
    assert.notEqual(begun.checkedAt, null)
    refused(await viewer.ask('POST', rotation), 403, 'not_allowed')
    refused(await developer.ask('POST', rotation), 409, 'conflict', /already waiting until DNS has/)
    assert.deepEqual(stages(ok<Shown>(await developer.ask('DELETE', rotation))), ['signs'])

    const again = ok<Shown>(await developer.ask('POST', rotation), 201)
    refused(await developer.ask('PUT', rotation, {}), 409, 'unconfirmed', /would fail DKIM/)
    publish(again)
    const verified = ok<{ domain: Shown }>(await developer.ask('POST', `${at}/${domain.id}/verify`))
    assert.deepEqual(stages(verified.domain), ['retiring', 'signs'])
    const [previous] = verified.domain.dkim
    assert.equal(Date.parse(previous!.keepUntil!) - Date.parse(previous!.since!), 7 * 24 * 3_600_000)
    assert.equal(verified.domain.records[0]!.required, true)
    const forced = ok<Shown>(await developer.ask('POST', rotation), 201)
    assert.deepEqual(stages(forced), ['retiring', 'signs', 'next'])
    const finished = ok<Shown>(await developer.ask('PUT', rotation, { force: true }))
    assert.deepEqual(stages(finished), ['retiring', 'retiring', 'signs'])
  })

  test('mail of a domain may have a From at other domains of its company, and of no other company', async () => {
    const [domain, other] = [await added(), await added()]
    const one = `${at}/${domain.id}`
    const changed = ok<Shown>(await developer.ask('PATCH', one, { speaksFor: [other.id] }))
    assert.deepEqual(
      changed.speaksFor.map(({ name }) => name),
      [other.name],
    )
    const { companyId } = foreigner.person.memberships[0]!
    const theirs = await service.domain(companyId, 'beta.example')
    for (const who of [developer, operator])
      refused(await who.ask('PATCH', one, { speaksFor: [theirs.id] }), 404, 'not_found')
    assert.deepEqual(ok<Shown>(await developer.ask('PATCH', one, { speaksFor: [] })).speaksFor, [])
  })

  test('an operator gives a domain or a company its own relay, which members see without its password', async () => {
    const domain = await added()
    const relay = `${at}/${domain.id}/relay`
    const set = ok<Shown>(
      await operator.ask('PUT', relay, { url: 'smtp://user@relay.test:2525', password: 'secret-1' }),
    )
    assert.deepEqual([set.relay?.login, set.companyRelay], [true, null])
    const ofCompany = `/companies/${company}/relay`
    ok(await operator.ask('PUT', ofCompany, { url: 'smtps://big.test' }))
    const seen = await viewer.ask('GET', `${at}/${domain.id}`)
    assert.doesNotMatch(seen.text, /secret-1|user@/)
    assert.match(ok<Shown>(seen).relay!.url, /relay\.test:2525/)
    assert.match(ok<Shown>(seen).companyRelay!.url, /big\.test/)
    const shown = ok<{ relay: { url: string }; delivery: string }>(await viewer.ask('GET', ofCompany))
    assert.deepEqual([shown.relay.url.includes('big.test'), shown.delivery], [true, 'capture'])
    refused(
      await operator.ask('PUT', relay, { url: 'http://relay.test' }),
      422,
      'invalid',
      /route is not allowed/,
    )
    assert.equal(ok<Shown>(await operator.ask('DELETE', relay)).relay, null)
    assert.equal(ok<{ relay: null }>(await operator.ask('DELETE', ofCompany)).relay, null)
    refused(await operator.ask('DELETE', ofCompany), 404, 'not_found')
  })

  test('a domain is removed for good, and may be added again', async () => {
    const domain = await added('gone.example')
    ok(await developer.ask('DELETE', `${at}/${domain.id}`))
    refused(await developer.ask('GET', `${at}/${domain.id}`), 404, 'not_found')
    await added('gone.example')
    refused(await developer.ask('POST', at, { name: 'gone.example' }), 409, 'already_exists')
    refused(await developer.ask('POST', at, { name: 'no domain' }), 422, 'invalid')
  })
})
