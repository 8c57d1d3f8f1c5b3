/** Large bodies of `POST /emails`: a scanner that builds only the known names makes the same submission of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { NAMES, NAMES_OF_FILE } from '../../../src/http/json/emails/schemas.ts'
import { readSubmission } from '../../../src/http/json/submission.ts'
import { Fault } from '../../../src/ingress/fault.ts'
import { JsonScanner } from '../../../src/ingress/json-text/scanner.ts'
import { SMALL_BODY } from '../../../src/ingress/reading.ts'
import { Refusal } from '../../../src/intake/refusal.ts'
import type { Submission } from '../../../src/intake/submission.ts'

const SPACE = Buffer.alloc(SMALL_BODY, ' ')

/** What is read of it, or why it is not, each as plain data. */
function read(body: Buffer): unknown {
  try {
    return plain(readSubmission(body))
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return error.reason
    throw error
  }
}

function plain(submission: Submission): unknown {
  const attachments = submission.attachments.map((file) => ({ ...file, content: [...file.content] }))
  return { ...submission, attachments }
}

function assertSame(json: string): void {
  const small = Buffer.from(json)
  assert.ok(small.length <= SMALL_BODY)
  // White space makes it large and changes nothing; at the end, for errors name a place.
  assert.deepEqual(read(Buffer.concat([small, SPACE])), read(small), json)
}

describe('a large body', () => {
  test('gives the same submission as a small one with the same content', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a@x.test', '', '\\"\n\u2028', '\ud83d'),
    )
    const odd = fc.oneof(text, fc.jsonValue())
    const content = fc.oneof(
      fc.uint8Array().map((octets) => Buffer.from(octets).toString('base64')),
      fc.uint8Array().map((octets) => Buffer.from(octets).toString('base64url')),
      fc.uint8Array().map((octets) => [...octets]),
      fc.uint8Array().map((octets) => Buffer.from(octets).toJSON()),
      fc.constantFrom<unknown>(
        'a\r\nGk=',
        'aGk=\n',
        'aGk=a',
        '=',
        '\u0141GVs',
        [1, 1.0, -0],
        [256],
        [1, 'x'],
        {},
        null,
        7,
        {
          type: 'Buffer',
        },
      ),
      odd,
    )
    // Every name that is read, so that none counts in small bodies alone.
    const each = (names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, odd]))
    const content_type = fc.oneof(fc.constantFrom('text/calendar', 'text/calendar; method=REPLY'), odd)
    const file = fc.record(
      { ...each(NAMES_OF_FILE), content_type, content, unknown: fc.jsonValue() },
      { requiredKeys: [] },
    )
    const body = fc.record(
      {
        ...each(NAMES),
        to: fc.oneof(odd, fc.array(text)),
        headers: fc.oneof(odd, fc.dictionary(fc.string(), text)),
        attachments: fc.oneof(fc.array(file, { maxLength: 3 }), odd),
        anything: fc.jsonValue(),
        ['__proto__']: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(body, fc.constantFrom(undefined, 1), (value, indent) =>
        assertSame(JSON.stringify(value, null, indent)),
      ),
      { numRuns: 1_000 },
    )
  })

  for (const json of [
    '{"text":"a","text":"b"}',
    '{"text":"a","text":null}',
    '{"attachments":[{"filename":"a","content":"aGk\\u003d"},{"filename":"b","content":"\\/\\/8="}]}',
    '{"attachments":[{"filename":"a","content":[ 1 , 2e0,3.0, 0, -0 ,1E1]}]}',
    '{"attachments":[{"filename":"a","content":"BEGIN:\\u00fc\\n","content_type":"text/calendar"}]}',
    '{"attachments":[{"filename":"a","content":"BEGIN:ü","contentType":"text/calendar"}]}',
    '{"attachments":[{"filename":"a","content":"BEGIN:\\ud83d","content_type":"text/calendar"}]}',
    '{"attachments":[{"filename":false,"content":"aGk="}],"headers":{"a":5},"tags":[{"name":"a","value":true}]}',
    '{"attachments":[{"filename":"a","content":[01]}]}',
    '{"attachments":[{"filename":"a","content":[1,]}]}',
    '{"attachments":[{"filename":"a","content":{"data":[1,2],"type":"Buffer"}}]}',
    '{"attachments":[{"filename":"a","content":{"data":[1,{}],"type":"Buffer"}}],"x":}',
    '{"\\u0074ext":"named with an escape"}',
    '[]',
    '"text"',
    '{"a":[}',
  ]) {
    test(`${json}: the same as a small one`, () => assertSame(json))
  }

  test('a long text is decoded like any other, even lone surrogates', () => {
    const html = `<p>"\\ \u00fc\u{1f389}\ud83d\t\u0000</p>`.repeat(10_000)
    const body = Buffer.from(JSON.stringify({ html, text: 'x'.repeat(100_000) }))
    assert.equal(readSubmission(body).html, html)
  })

  test('values of unknown names are not built, whatever their number and depth', () => {
    const many = `{"text":"x","a":{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":[[{}]]`).join(',')}}}`
    assert.equal(readSubmission(Buffer.from(many)).text, 'x')
    const deep = `{"text":"x","a":${'['.repeat(90_000)}${']'.repeat(90_000)}}`
    assert.equal(readSubmission(Buffer.from(deep)).text, 'x')
  })

  for (const [what, json, fault] of [
    ['deeper than that', `{"a":${'['.repeat(200_000)}`, /nested more than 100000 levels deep/],
    ['known names nested deep', `{"tags":${'['.repeat(40_000)}`, /nested more than 64 levels deep/],
    [
      'more values than are read',
      `{"headers":{${'"a":1,'.repeat(300_000)}"b":1}}`,
      /holds more than 250000 values/,
    ],
  ] as const) {
    test(`${what}: refused`, () => {
      assert.throws(() => readSubmission(Buffer.from(json)), { name: 'Fault', message: fault })
    })
  }

  const shapes: Record<string, (size: number) => string> = {
    'opening brackets': (size) => '[1,'.repeat(Math.min(size / 3, 90_000)),
    objects: (size) => `[${'{"a":{}},'.repeat(size / 9)}1]`,
    strings: (size) => `["${'\\u0041\\n'.repeat(size / 8)}"]`,
    numbers: (size) => `[${'1,'.repeat(size / 2)}1]`,
    'a long number': (size) => `[${'1'.repeat(size)}]`,
    'white space': (size) => `[${' \n'.repeat(size / 2)}]`,
  }
  for (const [name, make] of Object.entries(shapes)) {
    test(`${name}: twice the octets take twice the steps`, () => {
      const steps = (size: number): number => {
        const octets = Buffer.from(make(size))
        const scanner = new JsonScanner(octets)
        try {
          scanner.skip()
        } catch {}
        return scanner.steps / octets.length
      }
      assert.ok(steps(200_000) <= 1.1 * steps(100_000))
      assert.ok(steps(200_000) <= 4)
    })
  }
})
