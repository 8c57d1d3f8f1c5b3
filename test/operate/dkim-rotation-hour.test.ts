/**
 * Every message of the hour or so in which a domain's DKIM key is rotated, verified by an independent implementation
 * with every answer of DNS that a receiver may have had while the message was under way, remembered ones included.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Zone } from '../../harness/dns.ts'
import { verifyDkim } from '../../harness/verify-dkim.ts'
import { RETIRING_MS, type SendingDomain } from '../../src/accounts/account.ts'
import { delegateDkim, dkimZone } from '../../src/operate/dkim-delegation.ts'
import { rotateDkimKey } from '../../src/operate/dkim-rotation.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { showDomain } from '../../src/operate/domains.ts'
import { Api } from '../http/requests.ts'
import { until } from '../support/until.ts'
import { CheckedDomains } from './checked-domains.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const ZONE = 'dkim.service.test'
/** Ms for which resolvers remember an answer. */
const REMEMBERED = HOUR
/** Ms from when a message is signed to its verification: servers on the way try for five days (RFC 5321 4.5.4.1). */
const TRANSITS = [0, MINUTE, 10 * MINUTE, HOUR, DAY, 5 * DAY]
/** Messages beside each other while a step is made. */
const AT_ONCE = 4

/** What DNS has said over time. */
class DnsHistory {
  readonly #zone: Zone
  readonly #states: { since: number; zone: Zone }[] = []

  constructor(zone: Zone) {
    this.#zone = zone
  }

  /** From this time on DNS is as it is now. */
  note(since: number): void {
    this.#states.push({ since, zone: { ...this.#zone } })
  }

  /** The TXT values that a receiver may get for a name; undefined: none. `absence`: that is remembered, too. */
  answers(name: string, at: number, absence: boolean): Set<string | undefined> {
    const current = this.#states.findLastIndex(({ since }) => since <= at)
    const first = this.#states.findLastIndex(({ since }) => since <= at - REMEMBERED)
    const possible = this.#states
      .slice(Math.max(first, 0), current + 1)
      .map(({ zone }) => valueIn(zone, name))
    const now = possible.at(-1)
    return new Set(possible.filter((value) => absence || value !== undefined || now === undefined))
  }
}

function valueIn(zone: Zone, name: string): string | undefined {
  const [target = name] = (zone[`${name}/CNAME`] ?? []) as string[]
  return ((zone[`${target}/TXT`] ?? []) as string[])[0]
}

interface Signed {
  at: number
  raw: Uint8Array
  name: string
}

/** A domain whose records are in DNS, and the messages that it sends. */
class RotatedDomain {
  readonly rig: CheckedDomains
  readonly domain: SendingDomain
  readonly history: DnsHistory
  readonly signed: Signed[] = []
  readonly #api: Api

  private constructor(rig: CheckedDomains, domain: SendingDomain, token: string) {
    this.rig = rig
    this.domain = domain
    this.history = new DnsHistory(rig.dns.zone)
    this.#api = new Api(rig.service.url, token)
  }

  static async start(rig: CheckedDomains, delegated: boolean): Promise<RotatedDomain> {
    const { service, company, operation } = rig
    const domain = await service.domain(company, 'shop.example')
    if (delegated) await delegateDkim(await operation(), { domain: domain.id, delegated: true })
    const { token } = await service.key(company)
    const rotated = new RotatedDomain(rig, domain, token)
    await rotated.publish()
    await verifyDomain(await operation(), { domain: domain.id })
    return rotated
  }

  /** The owner publishes the shown records, and the operator loads the zone. */
  async publish(): Promise<void> {
    const { operation, dns } = this.rig
    const { records } = await showDomain(await operation(), { domain: this.domain.id })
    for (const { name, type, value } of records) dns.zone[`${name}/${type}`] = [value]
    const { settings } = this.rig.service
    if (settings.dkimZone === null) return
    for (const { name, value } of (await dkimZone(await operation(), {})).records)
      dns.zone[`${name}/TXT`] = [value]
  }

  async keys() {
    return (await this.rig.service.store.findDomain(this.domain.id))!.dkim
  }

  async send(at: number): Promise<void> {
    const { store } = this.rig.service
    const from = `a@${this.domain.name}`
    const id = await this.#api.accepted({ from, to: 'b@x.test', subject: 'Hello', text: 'Hello' })
    const [copy] = await until(async () => {
      const copies = await store.readCaptured(id)
      return copies.length > 0 && copies
    }, 'the captured message')
    const text = Buffer.from(copy!.raw).toString('latin1')
    const selectors = [...text.matchAll(/^DKIM-Signature:(?:.|\r\n[ \t])*?\bs=([^;]+);/gm)]
    assert.ok(selectors.length > 0)
    for (const [, selector] of selectors)
      this.signed.push({ at, raw: copy!.raw, name: `${selector}._domainkey.${this.domain.name}` })
  }

  /** A minute: checks of the service, and messages meanwhile. */
  async minute(at: number, messages = 1): Promise<void> {
    this.history.note(at)
    const { service, checksAt } = this.rig
    await Promise.all([checksAt(at), ...Array.from({ length: messages }, () => this.send(at))])
    await service.app.refreshAccounts()
    await this.send(at)
  }

  /** `absence`: receivers may have asked for the name before it was there. */
  async assertVerified(absence: boolean): Promise<void> {
    for (const { at, raw, name } of this.signed) {
      for (const transit of TRANSITS) {
        for (const value of this.history.answers(name, at + transit, absence)) {
          const keys = new Map(value === undefined ? [] : [[name, value]])
          const { signatures } = await verifyDkim(raw, keys)
          const own = signatures.find(({ domain, selector }) => name === `${selector}._domainkey.${domain}`)
          const when = `signed for ${name}, ${transit / MINUTE} minutes under way: ${value}`
          assert.equal(own?.result, 'pass', when)
        }
      }
    }
  }
}

test('an hour in which the owner of a domain publishes the next key', async () => {
  await using rig = await CheckedDomains.start({ hostname: 'mail.service.test' })
  const shop = await RotatedDomain.start(rig, false)
  const start = Date.now()
  const [previous] = await shop.keys()
  let found = 0
  for (let minute = 0; minute < 60; minute++) {
    const at = start + minute * MINUTE
    if (minute === 10) await rotateDkimKey(await rig.operation(at), { domain: shop.domain.id })
    if (minute === 30) await shop.publish()
    const isStep = minute === 10 || minute === 30
    await shop.minute(at, isStep ? AT_ONCE : 0)
    const [first] = await shop.keys()
    if (found === 0 && first!.rotation?.stage === 'retiring') found = at
  }
  assert.ok(found >= start + 30 * MINUTE && found < start + 35 * MINUTE)
  // Its owner removes the record of the previous key when it may go, and no sooner.
  await rig.checksAt(found + RETIRING_MS - 1)
  assert.equal((await shop.keys())[0]!.rotation?.stage, 'retiring')
  await rig.checksAt(found + RETIRING_MS)
  assert.equal((await shop.keys())[0]!.rotation?.stage, 'retired')
  const removed = `${previous!.selector}._domainkey.${shop.domain.name}`
  delete rig.dns.zone[`${removed}/TXT`]
  shop.history.note(found + RETIRING_MS)
  assert.equal(new Set(shop.signed.map(({ name }) => name)).size, 2)
  // The selector of the next key cannot be guessed before a message has it.
  await shop.assertVerified(false)
  const { raw } = shop.signed.find(({ name }) => name === removed)!
  assert.equal((await verifyDkim(raw, new Map())).pass, false, 'without its record it would fail')
})

test('an hour and a half in which two delegated keys change places, twice', async () => {
  await using rig = await CheckedDomains.start({ hostname: 'mail.service.test', dkimZone: ZONE })
  const shop = await RotatedDomain.start(rig, true)
  const start = Date.now()
  /** Rotates at this time, and plays so many minutes; the zone is loaded after `loaded` of them. */
  const rotate = async (from: number, minutes: number, loaded: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      const at = from + minute * MINUTE
      if (minute === 5) await rotateDkimKey(await rig.operation(at), { domain: shop.domain.id })
      if (minute === loaded) await shop.publish()
      const before = String((await shop.keys()).map(({ active }) => active))
      await shop.minute(at, minute === 5 ? AT_ONCE : 0)
      const keys = await shop.keys()
      if (String(keys.map(({ active }) => active)) !== before) await shop.minute(at, AT_ONCE)
    }
  }
  // From the key that the owner published to the first delegated one, an hour after DNS had it.
  await rig.checksAt(start)
  await rotate(start + RETIRING_MS, 15, 0)
  const renewed = start + RETIRING_MS + 15 * MINUTE + RETIRING_MS + DAY
  await rig.checksAt(renewed)
  // A fresh key has the name of the one before: receivers may remember the record of that for an hour.
  shop.history.note(renewed)
  await rotate(renewed + MINUTE, 90, 20)
  const names = new Set(shop.signed.map(({ name }) => name))
  assert.deepEqual(names, new Set(['pr1', 'pr2'].map((name) => `${name}._domainkey.${shop.domain.name}`)))
  const signing = (await shop.keys()).filter(({ active }) => active)
  assert.deepEqual(
    signing.map(({ selector }) => selector),
    ['pr1'],
    'back to the first one',
  )
  await shop.assertVerified(true)
})
