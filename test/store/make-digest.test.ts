import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Digest,
  EMAILS_A_SEGMENT,
  emailTerms,
  LIST,
  placesOf,
  placesOfTerm,
  sharedKeyOf,
} from '../../src/store/digest.ts'
import { type DigestedRow, wholeEvents } from '../../src/store/digested-rows.ts'
import { makeDigest } from '../../src/store/make-digest.ts'

const COMPANY = 3

/** Emails to so many addresses, from a place on; each fourth to the same one as well, all with one tag. */
function emails(first: number, count: number) {
  return Array.from({ length: count }, (_, n) => {
    const own = { address: `n${n}@x.test`, domain: 'x.test' }
    return {
      number: n + 1,
      company: COMPANY,
      type: 'sent',
      at: 1_000 * n,
      place: first + n,
      domainId: 'd1',
      tags: JSON.stringify([
        { name: 'tag', value: 'news' },
        { name: 'kind', value: 'letter' },
      ]),
      recipientDomain: null,
      sendableAt: null,
      refusal: null,
      begun: {
        keyId: 'k1',
        subject: `Order ${n} Nº 7`,
        sender: 'shop@acme.test',
        addresses: 'The Shop <shop@acme.test> ["Customer <n@x.test>"]',
        recipients: n % 4 === 0 ? [own, { address: 'all@y.test', domain: 'y.test' }] : [own],
      },
    }
  })
}

/** As a store reads them. */
function placesIn({ lists }: Digest, segment: number, term: number, whose = COMPANY): number[] {
  const rows = lists.filter(
    ({ company, kind, major }) => company === whose && kind === LIST.emailsByMany && major === segment,
  )
  return rows
    .flatMap(({ minor, places }) => {
      if (minor === term) return placesOf(segment, EMAILS_A_SEGMENT, places)
      return minor === sharedKeyOf(term)
        ? placesOf(segment, EMAILS_A_SEGMENT, placesOfTerm(term, places))
        : []
    })
    .sort((a, b) => a - b)
}

test('addresses of few emails share lists, and each finds its own, on both sides of the end of a segment', () => {
  const first = EMAILS_A_SEGMENT - 600
  const digest = makeDigest(emails(first, 1_000))
  for (let n = 0; n < 1_000; n++) {
    const term = emailTerms.ofAddress(`n${n}@x.test`)
    const own = [0, 1].map((segment) => placesIn(digest, segment, term))
    assert.deepEqual(own, n < 600 ? [[first + n], []] : [[], [first + n]])
  }
  assert.deepEqual(placesIn(digest, 0, emailTerms.ofAddress('nobody@x.test')), [])
  const shared = digest.lists.filter(({ company, minor }) => company === COMPANY && minor < 0)
  assert.ok(shared.length <= 2 * 64, `${shared.length} rows for 1,000 addresses`)
})

test('a property of many emails has a list of its own', () => {
  const digest = makeDigest(emails(0, 100))
  for (const [term, step] of [
    [emailTerms.ofAddress('all@y.test'), 4],
    [emailTerms.ofTagValue('tag', 'news'), 1],
    [emailTerms.ofTag('kind'), 1],
    [emailTerms.ofAnyTagValue('letter'), 1],
    [emailTerms.ofSender('shop@acme.test'), 1],
    [emailTerms.ofAddressWord('acme'), 1],
    [emailTerms.ofAddressWord('customer'), 1],
    [emailTerms.ofAddressWord('y'), 4],
  ] as const) {
    const places = Array.from({ length: 100 / step }, (_, n) => n * step)
    assert.deepEqual(placesIn(digest, 0, term), places)
    const row = digest.lists.find(({ kind, minor }) => kind === LIST.emailsByMany && minor === term)
    assert.equal(row?.places.length, 2 * places.length)
  }
})

test('a step takes few events where each has many tags of its own, and goes on behind them', () => {
  const rows = (tagsOf: (n: number) => string): DigestedRow[] =>
    Array.from({ length: 50 }, (_, n) => [
      ...([n + 1, COMPANY, 'sent', 0, n, 'd1', tagsOf(n), null, 0, null] as const),
      ...([null, null, null, null, null, null] as const),
    ])
  const many = (n: number) =>
    JSON.stringify(Array.from({ length: 100 }, (_, at) => ({ name: 'tag', value: `v${n} ${at}` })))
  const { events, more } = wholeEvents(rows(many), 100)!
  assert.deepEqual([events.length, more], [1, true])
  const next = wholeEvents(rows(many).slice(events.length), 100)!
  assert.equal(next.events[0]!.number, 2)
  const alike = wholeEvents(
    rows(() => many(0)),
    100,
  )!
  assert.deepEqual([alike.events.length, alike.more], [50, false])
  const one = wholeEvents(
    rows((n) => JSON.stringify([{ name: 'tag', value: `v${n}` }])),
    100,
  )!
  assert.deepEqual([one.events.length, one.more], [50, false])
})
