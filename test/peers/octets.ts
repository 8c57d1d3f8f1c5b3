/** Messages that are hard to carry, and the proof that a real server wrote down each as it left, its signature intact. */
import assert from 'node:assert/strict'
import { verifyDkim } from '../../harness/verify-dkim.ts'
import type { Peer } from './peer.ts'
import { inBox, SENDER, type Sending, type Stage } from './stage.ts'

interface Awkward {
  name: string
  /** Posts it to this address; its id. */
  post(sending: Sending, to: string): Promise<string>
}

function json(name: string, email: object): Awkward {
  return { name, post: (sending, to) => sending.send([to], email) }
}

/** A ready message (messages.mime) with this body; `fields` in addition to those of every message. */
function ready(name: string, body: Buffer | string, fields: readonly string[] = []): Awkward {
  return {
    name,
    async post(sending, to) {
      const header = [`From: ${SENDER}`, `To: ${to}`, `Subject: ${name}`, 'MIME-Version: 1.0', ...fields]
      const message = Buffer.concat([Buffer.from(`${header.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
      const form: [string, string | File][] = [
        ['to', to],
        ['message', new File([message], 'message.eml')],
      ]
      const answer = await sending.api.sendForm('acme.test', form, 'messages.mime')
      assert.equal(answer.status, 200, answer.text)
      // The form answers with the Message-ID, which holds the email's id nowhere: it is the newest.
      const [newest] = await sending.service.store.listEmails({ limit: 1 })
      return newest!.id
    },
  }
}

const DOTS = ['.', '..', '...', '.hidden', '..twice', 'end', '.', ''].join('\n')
const EVERY_OCTET = Buffer.from(Array.from({ length: 4 * 256 }, (_, n) => n % 256))

const AWKWARD: readonly Awkward[] = [
  json('8-bit text', { text: 'Grüße aus Köln – 日本語 🎉\n'.repeat(50), subject: 'Grüße 日本語 🎉' }),
  json('dots at line starts', { text: DOTS }),
  json('a line that is a dot, at the end', { text: 'end\n.' }),
  json('lines that begin with From', { text: 'From me\n>From you\nFrom \n' }),
  json('spaces and tabs at line ends', { text: 'a \nb\t\n \n\t\n\n\n' }),
  json('lines of 984 to 1000 octets', {
    text: Array.from({ length: 17 }, (_, n) => 'x'.repeat(984 + n)).join('\n'),
  }),
  json('lines of 984 to 1000 octets that begin with a dot', {
    text: Array.from({ length: 17 }, (_, n) => `.${'x'.repeat(983 + n)}`).join('\n'),
  }),
  json('one line of 100,000 characters', { text: 'ü'.repeat(100_000) }),
  json('lone CR and lone LF', { text: 'a\rb\nc\r\nd\n\re\r\r\nf' }),
  json('control characters', { text: 'bell \u0007, escape \u001b[1m, delete \u007f, form feed \f' }),
  json('an empty line as text', { text: '\n' }),
  json('HTML with its text', { text: undefined, html: `<p>${'Grüße '.repeat(400)}</p><p>.</p>` }),
  json('attachments', {
    attachments: [
      { filename: 'every octet.bin', content: EVERY_OCTET.toString('base64') },
      { filename: 'Grüße 日本.txt', content: Buffer.from('.\n..\n').toString('base64') },
      { filename: 'empty.txt', content: '' },
    ],
  }),
  json('a long subject and many fields', {
    subject: `${'Wörter '.repeat(120)}end`,
    headers: Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`X-Field-${n}`, `Wert ${n} ü`.repeat(8)]),
    ),
  }),
  json('3 MB', { text: 'A line of some length, to be read by nobody.\n'.repeat(70_000) }),
  ready('a ready message without a body', ''),
  ready('a ready message that ends in the middle of a line', 'no line end'),
  ready('a ready message of dots', '.\r\n..\r\n.x\r\n.', ['Content-Type: text/plain; charset=us-ascii']),
  ready(
    'a ready message with lines of 985 to 998 octets',
    Array.from({ length: 14 }, (_, n) => 'y'.repeat(985 + n)).join('\r\n'),
    ['Content-Type: text/plain; charset=us-ascii'],
  ),
  ready('a ready message in 8-bit', 'Grüße\r\n'.repeat(100), [
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ]),
  ready('a ready message with LF alone', 'one\ntwo\n.\nthree\n', ['Content-Type: text/plain']),
]

/** The fields that servers add on top. */
const TRACE = /^(?:Return-Path|X-Original-To|Delivered-To|Received|Envelope-to|Delivery-date): /i

/**
 * Awkward messages are sent at once; each is found in the box, octet for octet below what the server
 * put on top, line ends aside (RFC 5321 2.3.8: CRLF on the wire, LF in a file).
 */
export async function carriesEveryOctet(stage: Stage<Peer>, address: string): Promise<void> {
  await using sending = await stage.direct('good.test', [address])
  const mailbox = 'octets@good.test'
  const ids: string[] = []
  for (const awkward of AWKWARD) ids.push(await awkward.post(sending, mailbox))
  for (const id of ids) await sending.delivered(id)
  const stored = await inBox(stage.peer, 'octets', ids.length)
  assert.equal(stored.length, ids.length)
  for (const [index, { name }] of AWKWARD.entries()) {
    const raw = await sending.raw(ids[index]!, mailbox)
    await wroteAsSent(stored, raw, name)
    const { pass, signatures } = await verifyDkim(raw, sending.keys)
    assert.ok(pass, `${name}: ${JSON.stringify(signatures)}`)
  }
}

/** One of these files is this message, octet for octet, below what the server put on top. */
export async function wroteAsSent(files: readonly Buffer[], raw: Buffer, name: string): Promise<void> {
  const text = raw.toString('latin1')
  assert.doesNotMatch(text, /(?<!\r)\n|\r(?!\n)/, `${name}: bare CR or LF on the wire`)
  const lines = Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')
  const found = files.find((file) => file.length > lines.length && file.subarray(-lines.length).equals(lines))
  const closest = files.find((file) => file.includes(/^Message-ID: .*$/im.exec(text)![0]))
  assert.ok(
    found,
    `${name}: not as it was sent: ${JSON.stringify(closest?.toString('latin1').slice(0, 3_000))}`,
  )
  const top = found.subarray(0, -lines.length).toString('latin1')
  for (const field of top.split(/\n(?![ \t])/)) assert.match(`${field} `, field === '' ? /^ $/ : TRACE, name)
}
