/** Reading and writing addresses and header fields costs twice as much for twice the text, whatever stands in it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AddressError, parseAddressList } from '../../src/mail/address/address.ts'
import { assertAuthor } from '../../src/mail/address/author.ts'
import { addressField } from '../../src/mail/header/address-field.ts'
import { customField } from '../../src/mail/header/custom-field.ts'
import { decodeWords } from '../../src/mail/header/encoded-word.ts'
import { HeaderError, textField } from '../../src/mail/header/header.ts'
import { normaliseRaw, RawError, readRaw } from '../../src/mail/raw/raw.ts'
import { measureWork } from '../support/work-meter.ts'

/** Characters of a text, and of one of twice the length. */
const LENGTH = 8_000
const RUNS = 120

const token = fc.constantFrom(
  ...[
    'a',
    'ü',
    ' ',
    '\t',
    '"',
    '\\',
    '(',
    ')',
    '<',
    '>',
    ',',
    ';',
    ':',
    '@',
    '.',
    '[',
    ']',
    '%',
    '!',
    '=',
    '?',
    '_',
  ],
  ...[
    '=?',
    '?=',
    '=?utf-8?q?',
    '=?utf-8?b?',
    '=?utf-8?q?a?=',
    '=?utf-8?q?=40?=',
    '=?utf-8*',
    '?q?',
    '=?x?q?a?=',
  ],
  ...[
    'a@x.test',
    '<a@x.test>',
    '"a" <a@x.test>',
    'A: a@x.test;',
    '()',
    '""',
    '(a',
    '"a',
    ' @',
    '@a.',
    '. ',
    '\u00a0',
    '\u3000',
    '\u200b',
  ],
)
const piece = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join(''))
/** Something once or not at all, something over and over, something once or not at all. */
const shape = fc.tuple(fc.option(token, { nil: '' }), piece, fc.option(piece, { nil: '' }))

const work: [what: string, run: (text: string) => unknown][] = [
  ['a list of addresses', (text) => parseAddressList(text)],
  ['up to ten addresses', (text) => parseAddressList(text, 10)],
  ['encoded words', decodeWords],
  ['a subject', (text) => textField('Subject', text)],
  ['a custom field', (text) => customField('X-Custom', text)],
  ['a Sender', (text) => customField('Sender', text)],
  ['a long list', (text) => customField('Resent-To', text)],
  ['addresses, written', (text) => addressField('To', [{ name: text, address: 'a@x.test' }])],
  ['a name, whether an author may have it', (name) => assertAuthor({ name, local: 'a', domain: 'x.test' })],
  ['a From of a ready message', (text) => ready(`From: ${text}`)],
  [
    'a folded Reply-To of a ready message',
    (text) => ready(`From: a@x.test\r\nReply-To: ${text.replaceAll(' ', '\r\n ')}`),
  ],
]

function ready(header: string): void {
  const raw = Buffer.from(`${header}\r\n\r\nx\r\n`)
  readRaw(raw)
  normaliseRaw(raw, { messageId: '<a@x.test>', date: 0 })
}

/** What is refused is work as well. */
function unlessRefused(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof AddressError || error instanceof HeaderError || error instanceof RawError))
      throw error
  }
}

describe('twice the text takes twice the work', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  for (const [what, run] of work) {
    test(`reading ${what}`, (t) => {
      t.diagnostic(`SEED=${seed}`)
      fc.assert(
        fc.property(shape, ([first, again, last]) => {
          const text = (length: number) => first + again.repeat(length / again.length) + last
          const [short, long] = [text(LENGTH), text(2 * LENGTH)]
          const once = measureWork('/src/mail/', () => unlessRefused(() => run(short)))
          const twice = measureWork('/src/mail/', () => unlessRefused(() => run(long)))
          assert.ok(twice.steps <= 2.3 * once.steps + 5_000, `${once.steps} steps became ${twice.steps}`)
          // What ends at an error in the first text may go on to the end in the second one: then the share of the text counts.
          const most = Math.max(2.3 * once.handled, 60 * long.length) + 5_000
          assert.ok(twice.handled <= most, `${once.handled} characters handled became ${twice.handled}`)
        }),
        { seed, numRuns: RUNS },
      )
    })
  }
})
