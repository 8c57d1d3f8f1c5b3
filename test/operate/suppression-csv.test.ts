/** Files of addresses: every good line counts, every bad one is named, and the cost is linear whatever comes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { Random } from '../../harness/random.ts'
import { LONGEST_RECORD, readRecord } from '../../src/operate/csv-record.ts'
import { type BadLine, readCsvPiece, START } from '../../src/operate/suppression-csv.ts'
import { measureWork } from '../support/work-meter.ts'

interface Whole {
  addresses: string[]
  bad: number
  badLines: BadLine[]
  lines: number
}

/** Reads a file in pieces of so many characters. */
function read(text: string, size = 32 * 1024): Whole {
  const whole: Whole = { addresses: [], bad: 0, badLines: [], lines: 0 }
  let place = START
  for (let at = 0; at === 0 || at < text.length; at += size) {
    const piece = { text: text.slice(at, at + size), isLast: at + size >= text.length, place }
    const found = readCsvPiece({ ...piece, list: 'manual', tell: 1_000 - whole.badLines.length })
    place = found.place
    assert.ok(place.rest.length <= LONGEST_RECORD + 1, 'what is kept is bounded')
    whole.addresses.push(...found.suppressions.map(({ address }) => address))
    whole.bad += found.bad
    whole.badLines.push(...found.badLines)
  }
  return { ...whole, lines: place.lines }
}

const list = (count: number, more: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, at) => more[at + 1] ?? `u${at + 1}@x.test`)

test('a broken line costs that line, and is named with its number', () => {
  const broken = [
    '"x@example.com" y',
    '"x@example.com',
    'x@example.com,"never closed',
    '"',
    'x"',
    '"""',
    `${'x'.repeat(LONGEST_RECORD + 1)}@example.com`,
    `${'a"'.repeat(40_000)}`,
    'nobody',
    ',',
    'x@\ufffd.test',
    `${'x'.repeat(2_000)}@example.com`,
  ]
  for (const line of broken) {
    for (const end of ['\n', '\r\n', '\r']) {
      const { addresses, bad, badLines } = read(list(200, { 6: line }).join(end))
      assert.equal(addresses.length, 199, line.slice(0, 40))
      assert.deepEqual([bad, badLines[0]!.line], [1, 6], line.slice(0, 40))
      assert.ok(badLines[0]!.why.length <= 401, 'what is told is clipped')
    }
  }
})

test('a quoted field may have several lines, and the lines behind it keep their numbers', () => {
  const text = 'email,reason\na@x.test,"one,\n""two""\n\nthree"\nnobody,\nb@x.test,say "no"\n'
  const { addresses, badLines, lines } = read(text)
  assert.deepEqual(addresses, ['a@x.test', 'b@x.test'])
  assert.deepEqual([badLines.map(({ line }) => line), lines], [[6], 7])
})

test('an address that goes on for several lines lacks a quotation mark, and costs its first line', () => {
  const { addresses, badLines } = read('"a@x.test,gone\nb@x.test,gone\nc@x.test,"gone"\n"\nd@x.test')
  assert.deepEqual(addresses, ['b@x.test', 'c@x.test', 'd@x.test'])
  assert.deepEqual(
    badLines.map(({ line }) => line),
    [1, 4],
  )
})

test('the result does not depend on the pieces in which the file comes', () => {
  const text = `email;reason\r\n${list(300, { 7: '"x', 9: 'a@x.test;"one\r\ntwo"', 12: 'a"b;"c' }).join('\r\n')}\r\n${'y'.repeat(70_000)}\rlast@x.test`
  const whole = read(text, text.length)
  for (const size of [1_000, 4_099, 32_768]) assert.deepEqual(read(text, size), whole)
})

const SES = 'EmailAddress,Reason,LastUpdateTime\n'
const MANDRILL = 'email,reason,detail,created_at\n'
const POSTMARK = 'SuppressionReason,Origin,EmailAddress,CreatedAt\n'
const SPARKPOST = 'recipient,type,source,description,created\n'

/** Lines as other services export them; a null reason is the standard sentence of the type. */
const EXPORTED: [text: string, type: string, reason: string | null][] = [
  [`${SES}a@x.test,BOUNCE,2026-01-02T03:04:05Z`, 'bounce', null],
  [`${SES}a@x.test,COMPLAINT,2026-01-02T03:04:05Z`, 'complaint', null],
  [`${MANDRILL}a@x.test,hard-bounce,550 no such user,2026-01-02 03:04:05`, 'bounce', '550 no such user'],
  [`${MANDRILL}a@x.test,spam,,2026-01-02 03:04:05`, 'complaint', null],
  [`${MANDRILL}a@x.test,unsub,,2026-01-02 03:04:05`, 'unsubscribe', null],
  [`${POSTMARK}HardBounce,Recipient,a@x.test,2026-01-02T03:04:05Z`, 'bounce', null],
  [`${POSTMARK}SpamComplaint,Recipient,a@x.test,2026-01-02T03:04:05Z`, 'complaint', null],
  [`${POSTMARK}ManualSuppression,Customer,a@x.test,2026-01-02T03:04:05Z`, 'manual', null],
  [`${SPARKPOST}a@x.test,transactional,Bounce Rule,550 gone,2026-01-02T03:04:05Z`, 'bounce', '550 gone'],
  [`${SPARKPOST}a@x.test,non_transactional,List Unsubscribe,,2026-01-02T03:04:05Z`, 'unsubscribe', null],
  ['email,type,reason\na@x.test,manual,spam', 'manual', 'spam'],
  ['email,reason\na@x.test,550 spam refused', 'manual', '550 spam refused'],
  ['email,origin\na@x.test,bounce', 'bounce', null],
]

for (const [text, type, reason] of EXPORTED) {
  test(`a line of another service gets its type from its words: ${text.split('\n')[1]}`, () => {
    const { suppressions, badLines } = readCsvPiece({
      text,
      isLast: true,
      place: START,
      list: 'manual',
      tell: 9,
    })
    assert.deepEqual(badLines, [])
    assert.deepEqual([suppressions[0]!.type, suppressions[0]!.reason ?? null], [type, reason])
  })
}

test('a type that nothing in its line explains is refused', () => {
  const text = `${SPARKPOST}a@x.test,transactional,Compliance,,2026-01-02T03:04:05Z`
  const { badLines } = readCsvPiece({ text, isLast: true, place: START, list: 'manual', tell: 9 })
  assert.match(badLines[0]!.why, /the type "transactional" is not one of/)
})

/** Texts that a stranger may repeat most; `bad`: `count` of them. */
const WORST: [text: string, bad: (count: number) => number][] = [
  ['a"', () => 1],
  ['"', () => 1],
  [',', () => 1],
  ['\0', () => 1],
  [' ', () => 1],
  ['x', () => 1],
  ['\n', () => 0],
  ['\r', () => 0],
  ['""\n', () => 0],
  ['"a\n', (count) => count],
  ['"""\n', (count) => count],
  ['x",y"z,"w\n', (count) => count],
  ['"\n"\n\n\n\n', (count) => 2 * count],
]

for (const [text, bad] of WORST) {
  test(`reading ${JSON.stringify(text)} again and again costs twice as much for twice as many`, () => {
    const count = Math.ceil(40_000 / text.length)
    const cost = (times: number) => {
      let found: Whole | undefined
      const work = measureWork('/src/operate/', () => {
        found = read(text.repeat(count * times))
      })
      assert.equal(found!.bad, bad(count * times))
      return work.steps
    }
    cost(1)
    const [once, twice] = [cost(3), cost(6)]
    assert.ok(twice < 2.3 * once + 1_000, `${once} steps, then ${twice}`)
  })
}

/** What cells are made of. */
const PIECES = ['a', 'é', ' b', 'c ', '"', ',', ';', '\t', '\n', '\r\n', '@', "'"]

test('well-formed files are read as csv-parse reads them', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const random = new Random(seed)
  for (let nth = 0; nth < 300; nth++) {
    const delimiter = random.pick([',', ';', '\t'] as const)
    const columns = random.int(2, 5)
    const made = <Value>(count: number, one: () => Value) => Array.from({ length: count }, one)
    const cell = () => made(random.int(0, 7), () => random.pick(PIECES)).join('')
    const rows = made(random.int(1, 20), () => made(columns, cell))
    const text = stringify(rows, {
      delimiter,
      record_delimiter: random.pick(['\n', '\r\n']),
      quoted: random.chance(0.5),
      quoted_match: /[\r\n]/,
    })
    const ours: string[][] = []
    for (let at = 0; at < text.length; ) {
      const record = readRecord(text, at, delimiter, true)!
      assert.ok('fields' in record, `seed ${seed}: ${JSON.stringify(text)}`)
      ours.push(record.fields)
      at = record.next
    }
    const theirs: string[][] = parse(text, { delimiter, trim: true, relax_column_count: true })
    assert.deepEqual(ours, theirs, `seed ${seed}: ${JSON.stringify(text)}`)
  }
})
