/**
 * Fields made to be misread, through every way in, and read again by programs that are not ours as they leave: in accepted
 * mail, none of them may find an author outside the domain that signs.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { Api, type Reply } from '../http/requests.ts'
import { startService } from '../support/service.ts'
import { type Found, isOutside, type ReadTask, readHere, readWithPython, whyNoPython } from './readers.ts'

const OURS = 'ours.test'
/** Texts for each way in. */
const TEXTS = 300

const plain = fc.constantFrom('me@ours.test', '<me@ours.test>', 'Me <me@ours.test>', '"Me" <me@ours.test>')
const victim = fc.constantFrom(
  'ceo@victim.test',
  '<ceo@victim.test>',
  'The CEO <ceo@victim.test>',
  '"ceo@victim.test"',
  'ceo%victim.test@ours.test',
  'victim.test!ceo@ours.test',
  '<@ours.test:ceo@victim.test>',
  '<@victim.test:me@ours.test>',
  '"ceo@victim.test"@ours.test',
  '"ceo@victim.test "@ours.test',
  '"x> <ceo@victim.test>"@ours.test',
  'ceo@victim.test>@ours.test',
  'ceo＠victim.test',
  'ceo @ victim . test',
  'ceo(@ours.test)@victim.test',
  'ceo@[192.0.2.1]',
)
/** What encoded words may hold that is syntax once they are decoded. */
const hidden = fc.constantFrom(
  ...[
    '(',
    ')',
    '<',
    '>',
    '"',
    '\\',
    ',',
    ';',
    ':',
    '@',
    '\r\n',
    '\0',
    ' ',
    '()',
    '""',
    ' x ',
    'Jörg',
    'ceo@victim.test',
  ],
  ...[
    '<ceo@victim.test>',
    'ceo@victim.test,',
    ')ceo@victim.test',
    '", ceo@victim.test, "',
    'Doe, Jörg',
    'ü @ Acme',
  ],
  ...[
    '=?utf-8?q?ceo=40victim.test?=',
    '\u202etset.mitciv@oec',
    'ceo@vic\u200btim.test',
    'ceo＠victim.test',
    'me@ours.test',
  ],
)
const charset = fc.constantFrom(
  'utf-8',
  'UTF-8',
  'iso-8859-1',
  'utf-7',
  'utf-8*en',
  'us-ascii',
  'x-none',
  'utf-16',
  'iso-2022-jp',
)
const encodedWord = fc
  .tuple(hidden, charset, fc.constantFrom('q', 'Q', 'b', 'B'), fc.boolean())
  .map(([text, charset, encoding, whole]) => {
    const octets = Buffer.from(text)
    const payload = /b/i.test(encoding)
      ? octets.toString('base64')
      : [...octets].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('')
    return whole ? `=?${charset}?${encoding}?${payload}?=` : `=?${charset}?${encoding}?${text}?=`
  })
const syntax = fc.constantFrom(
  ...[
    '(',
    ')',
    '<',
    '>',
    '"',
    '\\',
    '\\"',
    ',',
    ';',
    ':',
    '@',
    '.',
    ' ',
    '  ',
    '\t',
    '\r\n ',
    '\r\n\t',
    '\n ',
    '\r',
    '\0',
  ],
  ...[
    '()',
    '""',
    '(a(b)c)',
    'Team:',
    ';',
    '=?',
    '?=',
    '=?utf-8?q?',
    '\u00a0',
    '\u3000',
    '\u200b',
    '\x1b$B',
    '\ufeff',
  ],
)
const word = fc.constantFrom(
  'Me',
  'The',
  'CEO',
  'Jörg',
  '"Doe, Jane"',
  "O'Neil",
  'News @ Acme',
  'I <3 you',
  'x',
  '😀',
  '山田',
)
const piece = fc.oneof(
  { weight: 2, arbitrary: plain },
  { weight: 3, arbitrary: victim },
  { weight: 4, arbitrary: encodedWord },
  { weight: 3, arbitrary: syntax },
  { weight: 2, arbitrary: word },
  { weight: 1, arbitrary: hidden.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`) },
  { weight: 1, arbitrary: hidden.map((text) => `(${text})`) },
)
const glue = fc.constantFrom('', ' ', ' ', '\r\n ')
const soup = fc.array(fc.tuple(piece, glue), { maxLength: 6 }).map((pieces) => pieces.flat().join(''))
/** Mostly with an address that may send, else next to nothing would be accepted. */
const field = fc.oneof(
  { weight: 1, arbitrary: soup },
  {
    weight: 3,
    arbitrary: fc
      .tuple(soup, fc.constantFrom('<me@ours.test>', ' <me@ours.test>', 'me@ours.test'), soup)
      .map((parts) => parts.join('')),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(soup, fc.constantFrom('<me@ours.test>', ' <me@ours.test>'))
      .map((parts) => parts.join('')),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          encodedWord,
          word,
          hidden.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`),
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((words) => `${words.join(' ')} <me@ours.test>`),
  },
)

/** Texts that some reader once misread. */
const MISREAD = ['=?utf-8?Q?=6D=65=40=6F=75=72=73=2E=74=65=73=74?=\r\n (Doe, Jörg)  <me@ours.test>']

interface Way {
  name: string
  field: 'From' | 'Sender' | 'Resent-From' | 'Resent-Sender'
  send(api: Api, text: string): Promise<Reply>
}

const FROM = 'Ann <ann@ours.test>'
const json = (api: Api, from: string, headers: Record<string, string> = {}) =>
  api.send({ from, to: 'b@x.test', subject: 's', text: 't', headers })
const form = (api: Api, from: string, more: [string, string][] = []) =>
  api.form(OURS, [['from', from], ['to', 'b@x.test'], ['subject', 's'], ['text', 't'], ...more])
const ready = (api: Api, header: string) =>
  api.multipart(
    OURS,
    [
      { name: 'to', value: 'b@x.test' },
      {
        name: 'message',
        value: `${header}\r\nTo: b@x.test\r\nSubject: s\r\n\r\nt\r\n`,
        filename: 'message.mime',
      },
    ],
    'messages.mime',
  )
const WAYS: Way[] = [
  { name: 'JSON from', field: 'From', send: (api, text) => json(api, text) },
  { name: 'JSON headers.Sender', field: 'Sender', send: (api, text) => json(api, FROM, { Sender: text }) },
  {
    name: 'JSON headers.Resent-From',
    field: 'Resent-From',
    send: (api, text) => json(api, FROM, { 'Resent-From': text }),
  },
  { name: 'form from', field: 'From', send: (api, text) => form(api, text) },
  { name: 'h:Sender', field: 'Sender', send: (api, text) => form(api, FROM, [['h:Sender', text]]) },
  { name: 'From of a ready message', field: 'From', send: (api, text) => ready(api, `From: ${text}`) },
  {
    name: 'Sender of a ready message',
    field: 'Sender',
    send: (api, text) => ready(api, `From: ${FROM}\r\nSender: ${text}`),
  },
  {
    name: 'Resent-Sender of a ready message',
    field: 'Resent-Sender',
    send: (api, text) => ready(api, `Resent-Sender: ${text}\r\nFrom: ${FROM}`),
  },
]

test('an author is outside when the domain that a reader names is, whatever it takes for a part of the address', () => {
  const outside = (address: string, reader = 'one, decoded before it is parsed') =>
    isOutside(reader, address, OURS)
  for (const ours of ['me@ours.test (Doe,', 'me@ours.test">', 'me@ ours . test (Doe,', 'News @ Acme'])
    assert.equal(outside(ours), false, ours)
  for (const other of [
    'ceo@victim.test (Doe,',
    'me@ours.test.victim.test (Doe,',
    'me@ours.test .victim.test,',
  ])
    assert.equal(outside(other), true, other)
  assert.equal(outside('me@ours.test (Doe,', 'one that parses first'), true)
})

describe('no reader finds an author outside the domain that signs', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  const noPython = whyNoPython()
  if (noPython !== null) console.error(`\n!!! ${noPython} !!!\n`)

  for (const [index, way] of WAYS.entries()) {
    test(`${way.name}: ${TEXTS} texts`, async (t) => {
      t.diagnostic(`SEED=${seed}`)
      await using service = await startService()
      const { company, key } = await service.tenant(OURS)
      await service.tenant('victim.test')
      const api = new Api(service.url, key.token)
      const texts = [...MISREAD, ...fc.sample(field, { seed: seed + index, numRuns: TEXTS })]
      /** The text of each email accepted, by its Message-ID. */
      const accepted = new Map<string, string>()
      const waiting = [...texts]
      const client = async () => {
        for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
          const reply = await way.send(api, text)
          assert.ok(reply.status < 500, `${JSON.stringify(text)}: ${reply.text}`)
          if (reply.status === 200) accepted.set(String(reply.body.id).replace(/^<|@.*$/g, ''), text)
        }
      }
      await Promise.all(Array.from({ length: 8 }, client))
      // Else this would be a test of refusals.
      assert.ok(accepted.size > TEXTS / 20, `${accepted.size} of ${TEXTS} were accepted`)

      const tasks: (ReadTask & { text: string })[] = []
      for (const [id, text] of accepted) {
        let captured = await service.store.readCaptured(id)
        while (captured.length === 0) {
          await pause(10)
          captured = await service.store.readCaptured(id)
        }
        tasks.push({ raw: Buffer.from(captured[0]!.raw), field: way.field, text })
      }
      const found: Found[] = await Promise.all(tasks.map(readHere))
      if (noPython === null) {
        for (const [index, more] of readWithPython(tasks).entries()) {
          for (const [reader, addresses] of more) found[index]!.set(reader, addresses)
        }
      }
      assert.equal(
        (await service.store.listEmails({ companyId: company.id, limit: 10_000 })).length,
        accepted.size,
      )
      for (const [index, { text, raw }] of tasks.entries()) {
        const shown = `${JSON.stringify(text)}\n${raw.toString().split('\r\n\r\n')[0]}`
        for (const [reader, addresses] of found[index]!) {
          const outside = addresses.filter((address) => isOutside(reader, address, OURS))
          assert.deepEqual(outside, [], `${reader} reads ${addresses} in ${shown}`)
          // The field is missing if it named no author; otherwise a reader that finds none shows what it likes.
          if (!new RegExp(`^${way.field}:`, 'm').test(raw.toString())) continue
          if (!reader.includes('decoded before'))
            assert.ok(addresses.length > 0, `${reader} reads nobody in ${shown}`)
        }
      }
      t.diagnostic(`${accepted.size} accepted and read by ${[...found[0]!.keys()].join(', ')}`)
    })
  }
})
