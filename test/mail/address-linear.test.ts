/** Reading and writing addresses and header fields costs work in proportion to the text, whatever stands in it. */
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

/** Characters of a text: what grows with the square of them takes thousands for each. */
const LENGTH = 16_000
/** For each character: blocks of code executed, and characters handled by built-in functions. */
const STEPS = 60
const HANDLED = 160
/** What every text costs. */
const FREE = 10_000
const RUNS = 60

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

describe('work is in proportion to the text', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  for (const [what, run] of work) {
    test(`reading ${what}`, (t) => {
      t.diagnostic(`SEED=${seed}`)
      fc.assert(
        fc.property(shape, ([first, again, last]) => {
          const text = first + again.repeat(LENGTH / again.length) + last
          const { steps, handled } = measureWork('/src/mail/', () => unlessRefused(() => run(text)))
          assert.ok(steps <= STEPS * text.length + FREE, `${steps} steps for ${text.length} characters`)
          assert.ok(
            handled <= HANDLED * text.length + FREE,
            `${handled} handled for ${text.length} characters`,
          )
        }),
        { seed, numRuns: RUNS },
      )
    })
  }
})
