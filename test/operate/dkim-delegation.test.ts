/** DKIM keys in the operator's zone, behind CNAME records: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { FakeDns, Zone } from '../../harness/dns.ts'
import { verifyDkim } from '../../harness/verify-dkim.ts'
import { RETIRING_MS, type SendingDomain } from '../../src/accounts/account.ts'
import { DELEGATED_TTL, FORGOTTEN_MS } from '../../src/accounts/dkim-delegation.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { delegateDkim, dkimZone } from '../../src/operate/dkim-delegation.ts'
import { addDkimKey, removeDkimKey, renameDkimKey } from '../../src/operate/dkim-keys.ts'
import { cancelDkimRotation, rotateDkimKey } from '../../src/operate/dkim-rotation.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { addDomain, showDomain, updateDomain } from '../../src/operate/domains.ts'
import { Api } from '../http/requests.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { CheckedDomains } from './checked-domains.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const ZONE = 'dkim.service.test'
const ROTATION = 100 * DAY

describe('DKIM keys in the zone of the operator', () => {
  let rig: CheckedDomains
  let dns: FakeDns
  let service: Service
  let company: string
  let operation: CheckedDomains['operation']
  let checksAt: CheckedDomains['checksAt']
  let serial = 0
  before(async () => {
    rig = await CheckedDomains.start({
      hostname: 'mail.service.test',
      dkimZone: ZONE,
      dkimRotation: ROTATION,
    })
    ;({ dns, service, company, operation, checksAt } = rig)
  })
  after(() => rig[Symbol.asyncDispose]())
  beforeEach(() => rig.clear())

  const newName = () => `d${serial++}.example`
  const now = async ({ id }: Pick<SendingDomain, 'id'>) => (await service.store.findDomain(id))!
  const stages = ({ dkim }: SendingDomain) =>
    dkim.map(({ selector, active, rotation }) => {
      return `${selector.replace(/\d{8}/, 'DATE')} ${rotation?.stage ?? (active ? 'signs' : 'reserve')}`
    })
  const dkimOf = async (domain: SendingDomain) => {
    const { records } = await showDomain(await operation(), { domain: domain.id })
    return records.filter(({ kind }) => kind === 'dkim')
  }
  /** The owner publishes the shown records. */
  async function publish(domain: SendingDomain): Promise<void> {
    for (const { name, type, value } of await dkimOf(domain)) dns.zone[`${name}/${type}`] = [value]
  }
  /** The operator's DNS loads the whole zone anew. */
  async function loadZone(): Promise<void> {
    const { records } = await dkimZone(await operation(), {})
    for (const name of Object.keys(dns.zone)) if (name.endsWith(`.${ZONE}/TXT`)) delete dns.zone[name]
    for (const { name, value } of records) dns.zone[`${name}/TXT`] = [value]
  }
  async function added(name = newName()): Promise<SendingDomain> {
    return (await addDomain(await operation(), { company, name })).domain
  }
  async function verified(): Promise<SendingDomain> {
    const domain = await added()
    await publish(domain)
    await loadZone()
    return (await verifyDomain(await operation(), { domain: domain.id })).domain
  }
  async function checked(domain: SendingDomain) {
    const { verification } = await verifyDomain(await operation(), { domain: domain.id })
    return verification.records.filter(({ kind }) => kind === 'dkim')
  }
  /** A domain that publishes its key itself, and sends. */
  async function withTxt(): Promise<SendingDomain> {
    const domain = await service.domain(company, newName())
    await publish(domain)
    return (await verifyDomain(await operation(), { domain: domain.id })).domain
  }

  test('a new domain publishes two CNAME records, which both are required until it sends', async () => {
    const domain = await added()
    assert.deepEqual(stages(domain), ['pr1 signs', 'pr2 reserve'])
    const records = await dkimOf(domain)
    assert.deepEqual(
      records.map(({ type, name, required }) => [type, name, required]),
      [
        ['CNAME', `pr1._domainkey.${domain.name}`, true],
        ['CNAME', `pr2._domainkey.${domain.name}`, true],
      ],
    )
    for (const { value } of records) assert.match(value, /^pr[12]\.[0-9a-f]{20}\.dkim\.service\.test$/)
    const { zone, records: own } = await dkimZone(await operation(), {})
    assert.equal(zone, ZONE)
    assert.deepEqual(
      own.map(({ name }) => name),
      records.map(({ value }) => value),
    )
    for (const { line } of own) assert.match(line, /^pr[12]\.\S+\. 3600 IN TXT "v=DKIM1; k=rsa; p=/)

    const states = async () => (await checked(domain)).map(({ state }) => state)
    assert.deepEqual(await states(), ['missing', 'missing'])
    await publish(domain)
    await loadZone()
    delete dns.zone[`${records[1]!.name}/CNAME`]
    assert.deepEqual(await states(), ['right', 'missing'])
    assert.equal((await now(domain)).sending, 'inactive')
    await publish(domain)
    assert.deepEqual(await states(), ['right', 'right'])
    const after = await now(domain)
    assert.deepEqual([after.status, after.sending], ['verified', 'active'])
    const required = (await dkimOf(after)).map((record) => record.required)
    assert.deepEqual(required, [true, false], 'a key in reserve may be late')
  })

  test('a check names the link that is missing: the CNAME record, or the record of the operator', async () => {
    const domain = await added()
    const [first] = await dkimOf(domain)
    const { name, value } = first!
    const check = async (zone: Zone) => {
      rig.clearRecords()
      Object.assign(dns.zone, zone)
      const [record] = await checked(domain)
      return [record!.state, record!.advice ?? record!.explanation ?? '', record!.found] as const
    }
    const key = first!.target!
    const cname = { [`${name}/CNAME`]: [value] }
    assert.deepEqual(await check({ [`${value}/TXT`]: [key] }), [
      'missing',
      `There is no CNAME record at ${name}.`,
      [],
    ])
    assert.deepEqual(await check(cname), [
      'missing',
      `The CNAME record is right, but not the record that it leads to. There is no TXT record at ${value}. ` +
        'The operator of this service has to load its zone again (postroad domain zone).',
      [value],
    ])
    const [stale, advice] = await check({ ...cname, [`${value}/TXT`]: ['v=DKIM1; k=rsa; p=AAAA'] })
    assert.equal(stale, 'different')
    assert.match(advice, /^The CNAME record is right, .* holds a different key\. The operator/)
    const [wrong, target, found] = await check({ [`${name}/CNAME`]: [`${value}.${domain.name}`] })
    assert.deepEqual([wrong, found], ['different', [`${value}.${domain.name}`]])
    assert.match(target, /leads to .* Change it to pr1\..* end it with a dot/)
    const [silent, silence] = await check({ ...cname, [`${value}/TXT`]: { rcode: 'SERVFAIL' } })
    assert.equal(silent, 'unknown')
    assert.match(silence, new RegExp(`^DNS did not answer for ${value}`))
    const [own, instead] = await check({ [`${name}/TXT`]: ['v=DKIM1; k=rsa; p=AAAA'] })
    assert.equal(own, 'different')
    assert.match(instead, /^There is a TXT record at .* publish the CNAME record in its place/)
    const [right, until] = await check({ [`${name}/TXT`]: [key] })
    assert.equal(right, 'right')
    assert.match(until, /in place of the CNAME record\. It serves until the key is replaced/)
    const doubled = await check({ [`${name}.${domain.name}/CNAME`]: [value] })
    assert.match(doubled[1], /your DNS provider appends/)
    assert.deepEqual(await check({ ...cname, [`${value}/TXT`]: [key] }), ['right', '', [value]])
  })

  test('the records of one company prove nothing for another one that asks for the same name', async () => {
    const domain = await verified()
    const other = await service.company()
    const seal = service.app.seal
    const of = { companyId: other.id, name: domain.name, seal, ed25519: false, delegated: true }
    const claim = await newDomain(of)
    await service.store.addDomain(claim)
    await loadZone()
    const states = (await checked(claim)).map(({ state, advice }) => [state, /leads to/.test(advice ?? '')])
    assert.deepEqual(states, [
      ['different', true],
      ['different', true],
    ])
    assert.equal((await now(claim)).status, 'pending')
  })

  test('rotations need nothing of the owner, and no message fails at receivers with old answers', async () => {
    const domain = await verified()
    const start = Date.now()
    const published = { ...dns.zone }
    const { token } = await service.key(company)
    const api = new Api(service.url, token)
    const receivers: Receiver[] = []
    /** A message that leaves now is verified by all receivers, at this time of theirs. */
    const send = async (at: number) => {
      await service.app.refreshAccounts()
      const id = await api.accepted({ from: `a@${domain.name}`, to: 'b@x.test', subject: 's', text: 't' })
      const [copy] = await until(async () => {
        const copies = await service.store.readCaptured(id)
        return copies.length > 0 && copies
      }, 'the captured message')
      receivers.push(new Receiver(dns.zone))
      for (const receiver of receivers) {
        assert.ok((await receiver.verify(copy!.raw, at)).pass, `${(at - start) / MINUTE} minutes`)
      }
      const text = Buffer.from(copy!.raw)
        .toString('latin1')
        .replace(/\r\n\s/g, ' ')
      return /^DKIM-Signature:.*?\bs=([^;]+);/im.exec(text)![1]
    }
    /** Someone has asked for both names just before the zone changes. */
    const remember = (at: number) => {
      const receiver = new Receiver(dns.zone)
      for (const selector of ['pr1', 'pr2']) receiver.look(`${selector}._domainkey.${domain.name}`, at)
      receivers.push(receiver)
    }
    assert.equal(await send(start), 'pr1')

    // The key in reserve has been in DNS for long.
    const first = start + 2 * FORGOTTEN_MS
    const begun = await rotateDkimKey(await operation(first), { domain: domain.id })
    assert.deepEqual(stages(begun), ['pr1 signs', 'pr2 next'])
    assert.equal(await send(first), 'pr1')
    await checksAt(first + MINUTE)
    assert.deepEqual(stages(await now(domain)), ['pr1 retiring', 'pr2 signs'])
    assert.equal(await send(first + MINUTE), 'pr2')
    await assert.rejects(rotateDkimKey(await operation(first + 2 * MINUTE), { domain: domain.id }), {
      code: 'conflict',
      message: /no free DKIM selector .* mail signed with pr1 may be under way until .*, and pr2 signs mail/,
    })

    // A fresh key takes the place of the previous one after seven days, and the zone follows an hour later.
    const retired = first + MINUTE + RETIRING_MS
    await checksAt(retired - 1)
    assert.deepEqual(stages(await now(domain)), ['pr1 retiring', 'pr2 signs'])
    await checksAt(retired)
    const renewed = await now(domain)
    assert.deepEqual(stages(renewed), ['pr1 reserve', 'pr2 signs'])
    assert.notEqual(renewed.dkim[0]!.publicKey, domain.dkim[0]!.publicKey)
    assert.equal(renewed.status, 'verified')
    await checksAt(retired + 60 * MINUTE)
    assert.equal((await now(domain)).dkim[0]!.seen, 'different')
    assert.equal((await now(domain)).status, 'verified', 'a key in reserve may be late')

    // The next rotation begins before the zone was loaded: it waits for it, and an hour more.
    const second = retired + 2 * 60 * MINUTE
    await rotateDkimKey(await operation(second), { domain: domain.id })
    await checksAt(second + 5 * MINUTE)
    assert.deepEqual(stages(await now(domain)), ['pr1 next', 'pr2 signs'])
    const loaded = second + 10 * MINUTE
    remember(loaded - 1)
    await loadZone()
    await checksAt(loaded)
    assert.equal((await now(domain)).dkim[0]!.seen, 'right')
    assert.equal(await send(loaded), 'pr2')
    await checksAt(loaded + FORGOTTEN_MS - 1)
    assert.deepEqual(stages(await now(domain)), ['pr1 next', 'pr2 signs'])
    await checksAt(loaded + FORGOTTEN_MS)
    assert.deepEqual(stages(await now(domain)), ['pr1 signs', 'pr2 retiring'])
    assert.equal(await send(loaded + FORGOTTEN_MS), 'pr1')
    const own = (name: string) => !name.includes(ZONE)
    assert.deepEqual(Object.keys(dns.zone).filter(own), Object.keys(published).filter(own))
  })

  test('keys take their turns by themselves, once the next one can sign at once', async () => {
    const domain = await verified()
    const start = domain.dkim[0]!.activeSince!
    const check = async (at: number) => {
      await service.store.noteDomainCheck(domain.id, { dueAt: at })
      await checksAt(at)
    }
    await check(start + ROTATION - 1)
    assert.deepEqual(stages(await now(domain)), ['pr1 signs', 'pr2 reserve'])
    const due = start + ROTATION
    const { name } = (await dkimOf(domain))[1]!
    const cname = dns.zone[`${name}/CNAME`]!
    delete dns.zone[`${name}/CNAME`]
    await check(due)
    dns.zone[`${name}/CNAME`] = cname
    for (const minutes of [30, 89]) await check(due + minutes * MINUTE)
    assert.deepEqual(stages(await now(domain)), ['pr1 signs', 'pr2 reserve'], 'it would wait')
    await check(due + 90 * MINUTE)
    const rotated = await now(domain)
    assert.deepEqual(stages(rotated), ['pr1 retiring', 'pr2 signs'])
    assert.equal(rotated.dkim[1]!.activeSince, due + 90 * MINUTE)
    const entries = await service.store.audit({ companyId: company, limit: 100 })
    const own = entries.filter(({ target }) => target === domain.name).toReversed()
    assert.deepEqual(own.map(({ action, actor }) => `${actor.kind} ${action}`).slice(2), [
      'service rotateDkimKey',
      'service finishDkimRotation',
    ])

    await updateDomain(await operation(), { domain: domain.id, settings: { dkimRotation: 'off' } })
    await check(due + 2 * ROTATION)
    await loadZone()
    for (const hours of [1, 3, 5]) await check(due + 2 * ROTATION + hours * 60 * MINUTE)
    assert.deepEqual(stages(await now(domain)), ['pr1 reserve', 'pr2 signs'])
    await assert.rejects(
      updateDomain(await operation(), { domain: domain.id, settings: { dkimRotation: 7 * DAY } }),
      /every 8 to 1825 days/,
    )
  })

  test('a domain that sends moves there without a gap, and back', async () => {
    const domain = await withTxt()
    assert.deepEqual(stages(domain), ['prDATE signs'])
    const start = Date.now()
    const moved = await delegateDkim(await operation(start), { domain: domain.id, delegated: true })
    assert.deepEqual(stages(moved), ['prDATE signs', 'pr1 next', 'pr2 reserve'])
    assert.deepEqual(
      (await dkimOf(moved)).map(({ type, required }) => `${type} ${required}`),
      ['TXT true', 'CNAME false', 'CNAME false'],
    )
    await assert.rejects(delegateDkim(await operation(), { domain: domain.id, delegated: true }), {
      code: 'nothing_to_do',
    })
    await checksAt(start + 60 * MINUTE)
    assert.equal((await now(domain)).status, 'verified')
    await publish(moved)
    await loadZone()
    const found = start + 120 * MINUTE
    await checksAt(found)
    await checksAt(found + FORGOTTEN_MS)
    assert.deepEqual(stages(await now(domain)), ['prDATE retiring', 'pr1 signs', 'pr2 reserve'])
    await checksAt(found + FORGOTTEN_MS + RETIRING_MS)
    delete dns.zone[`${domain.dkim[0]!.selector}._domainkey.${domain.name}/TXT`]
    await checksAt(found + FORGOTTEN_MS + RETIRING_MS + 60 * MINUTE)
    assert.deepEqual(stages(await now(domain)), ['pr1 signs', 'pr2 reserve'])

    const back = found + 30 * DAY
    const returned = await delegateDkim(await operation(back), { domain: domain.id, delegated: false })
    assert.deepEqual(
      stages(returned).map((text) => text.replace(/-\w{4}/, '-RAND')),
      ['pr1 signs', 'prDATE-RAND next'],
    )
    await publish(returned)
    await loadZone()
    await checksAt(back + MINUTE)
    assert.match(stages(await now(domain)).join(), /^pr1 retiring,prDATE-\w{4} signs$/)
    await checksAt(back + MINUTE + RETIRING_MS)
    await loadZone()
    await checksAt(back + MINUTE + RETIRING_MS + 60 * MINUTE)
    const after = await now(domain)
    assert.match(stages(after).join(), /^prDATE-\w{4} signs$/)
    assert.deepEqual([after.status, after.settings.dkimDelegated], ['verified', undefined])
  })

  test('a domain that has not sent yet changes its keys at once', async () => {
    const name = newName()
    const { domain } = await addDomain(await operation(), { company, name, delegated: false, ed25519: true })
    assert.deepEqual(stages(domain), ['prDATE signs', 'prDATEe signs'])
    const moved = await delegateDkim(await operation(), { domain: domain.id, delegated: true })
    assert.deepEqual(stages(moved).toSorted(), ['pr1 signs', 'pr1e signs', 'pr2 reserve', 'pr2e reserve'])
    const back = await delegateDkim(await operation(), { domain: domain.id, delegated: false })
    assert.deepEqual(stages(back), ['prDATE signs', 'prDATEe signs'])
  })

  test('a refused move changes nothing', async () => {
    const domain = await withTxt()
    await addDkimKey(await operation(), { domain: domain.id, selector: 'pr2' })
    await addDkimKey(await operation(), { domain: domain.id, selector: 'pr1' })
    const before = await now(domain)
    await assert.rejects(delegateDkim(await operation(), { domain: domain.id, delegated: true }), {
      code: 'conflict',
      message: /pr1 is a key of another kind/,
    })
    assert.deepEqual(await now(domain), before)
    for (const selector of ['pr1', 'pr2']) {
      await removeDkimKey(await operation(), { domain: domain.id, selector })
    }
    await rotateDkimKey(await operation(), { domain: domain.id })
    await assert.rejects(delegateDkim(await operation(), { domain: domain.id, delegated: true }), {
      code: 'conflict',
      message: /already waiting/,
    })
    assert.equal((await now(domain)).settings.dkimDelegated, undefined)
  })

  test('a refused move keeps the changes that the operator made meanwhile', async (t) => {
    const domain = await withTxt()
    await rotateDkimKey(await operation(), { domain: domain.id })
    const { store } = service
    const update = store.updateDomain.bind(store)
    let updates = 0
    t.mock.method(store, 'updateDomain', async (...of: Parameters<typeof update>) => {
      await update(...of)
      if (++updates > 1) return
      const { settings } = await now(domain)
      await update(domain.id, { settings: { ...settings, pool: 'fast' } })
    })
    const moved = delegateDkim(await operation(), { domain: domain.id, delegated: true })
    await assert.rejects(moved, { code: 'conflict' })
    assert.deepEqual((await now(domain)).settings, { ...domain.settings, pool: 'fast' })
  })

  test('a cancelled rotation keeps the key in reserve, a removed one is made again, and selectors stay', async () => {
    const domain = await verified()
    await rotateDkimKey(await operation(), { domain: domain.id })
    const cancelled = await cancelDkimRotation(await operation(), { domain: domain.id })
    assert.deepEqual(stages(cancelled), ['pr1 signs', 'pr2 reserve'])
    assert.equal(cancelled.dkim[1]!.id, domain.dkim[1]!.id)
    const key = { domain: domain.id, selector: 'pr2' }
    await assert.rejects(renameDkimKey(await operation(), { ...key, to: 's2' }), { code: 'conflict' })
    await removeDkimKey(await operation(), key)
    const again = await rotateDkimKey(await operation(), { domain: domain.id })
    assert.deepEqual(stages(again), ['pr1 signs', 'pr2 next'])
    assert.notEqual(again.dkim[1]!.id, domain.dkim[1]!.id)
  })

  test('without the zone the keys are shown as TXT records again, and the next one is made for those', async () => {
    const domain = await verified()
    const op = await operation()
    const without = { ...op, setup: { ...op.setup, dkimZone: null } }
    const { records } = await showDomain(without, { domain: domain.id })
    assert.deepEqual(
      records.filter(({ kind }) => kind === 'dkim').map(({ type, required }) => `${type} ${required}`),
      ['TXT true', 'TXT false'],
    )
    assert.equal((await verifyDomain(without, { domain: domain.id })).verification.verified, true)
    const rotated = await rotateDkimKey(without, { domain: domain.id })
    assert.match(stages(rotated).join(), /^pr1 signs,pr2 reserve,prDATE-\w{4} next$/)
    await assert.rejects(dkimZone(without, {}), /POSTROAD_DKIM_ZONE/)
    await assert.rejects(addDomain(without, { company, name: newName(), delegated: true }), {
      code: 'invalid',
    })
  })
})

/** A receiver whose resolver remembers every answer for as long as the zone allows, also that there was none. */
class Receiver {
  readonly #zone: Zone
  readonly #remembered = new Map<string, { value: string | undefined; until: number }>()

  constructor(zone: Zone) {
    this.#zone = zone
  }

  /** The TXT record at the end of the CNAME records. */
  look(name: string, at: number): string | undefined {
    const known = this.#remembered.get(name)
    if (known !== undefined && known.until > at) return known.value
    const plain = (key: string) => (this.#zone[key] as string[] | undefined)?.[0]
    const end = plain(`${name}/CNAME`) ?? name
    const value = plain(`${end}/TXT`)
    this.#remembered.set(name, { value, until: at + DELEGATED_TTL * 1000 })
    return value
  }

  async verify(raw: Uint8Array, at: number) {
    const text = Buffer.from(raw)
      .toString('latin1')
      .replace(/\r\n\s/g, ' ')
    const signature = /^DKIM-Signature:.*$/im.exec(text)![0]
    const tag = (letter: string) => new RegExp(`[:;]\\s*${letter}=([^;]+);`).exec(signature)![1]
    const name = `${tag('s')}._domainkey.${tag('d')}`
    const value = this.look(name, at)
    return await verifyDkim(raw, new Map(value === undefined ? [] : [[name, value]]))
  }
}
