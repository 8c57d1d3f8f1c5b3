import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { ANY_BOUNDARY } from '../../src/mail/compose/boundary.ts'
import { compose } from '../../src/mail/compose/compose.ts'
import { relaxedBodyHash } from '../../src/mail/dkim/body-hash.ts'
import {
  dkimPublicKey,
  dkimRecord,
  generateDkimKey,
  type SigningKeyLike,
  signMessage,
} from '../../src/mail/dkim/dkim.ts'

const at = 1_700_000_000
const bytes = (text: string) => Buffer.from(text, 'latin1')
const keys: SigningKeyLike[] = []
const records = new Map<string, string>()

before(async () => {
  for (const algorithm of ['rsa-sha256', 'ed25519-sha256'] as const) {
    const { privateKey, publicKey } = await generateDkimKey(algorithm)
    const selector = algorithm === 'rsa-sha256' ? 'r1' : 'e1'
    keys.push({ domain: 'x.test', selector, algorithm, privateKey })
    records.set(`${selector}._domainkey.x.test`, dkimRecord(algorithm, publicKey))
  }
})

/** The verdict of an independent verifier on each signature, in order. */
async function verdicts(message: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(message, {
    resolver: async (name: string, type: string) => {
      const record = type === 'TXT' ? records.get(name) : undefined
      if (record === undefined) throw Object.assign(new Error(`no ${type} at ${name}`), { code: 'ENOTFOUND' })
      return [[record]]
    },
    curTime: new Date(at * 1000 + 60_000),
  })
  return results.map((result) => String(result.status.result))
}

async function signed(header: string, body: Buffer | Buffer[], using = keys): Promise<Buffer> {
  const signature = await signMessage(bytes(header), body, using, { at })
  return Buffer.concat([signature, bytes(header), bytes('\r\n'), ...(Array.isArray(body) ? body : [body])])
}

const header =
  'From: Jane <jane@x.test>\r\nTo: b@y.test\r\nSubject: Hi\r\nDate: Tue, 14 Nov 2023 22:13:20 +0000\r\n' +
  'Message-ID: <1@x.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n'

describe('a signed message', () => {
  test('verifies with both algorithms', async () => {
    assert.deepEqual(await verdicts(await signed(header, bytes('Hello\r\n'))), ['pass', 'pass'])
  })

  test('is the same bytes each time', async () => {
    const once = await signMessage(bytes(header), bytes('Hello\r\n'), keys, { at })
    const twice = await signMessage(bytes(`${header}\r\n`), [bytes('Hel'), bytes('lo\r\n')], keys, { at })
    assert.deepEqual(twice, once)
  })

  test('carries fields that are folded, end with CRLF and name their tags', async () => {
    const fields = (await signMessage(bytes(header), bytes('Hello\r\n'), keys, { at })).toString('latin1')
    for (const line of fields.split('\r\n')) assert.ok(line.length <= 78, line)
    assert.ok(fields.endsWith('\r\n'))
    assert.equal(fields.match(/^DKIM-Signature: v=1; a=/gm)?.length, 2)
    assert.match(fields, /; t=1700000000;/)
    const flat = fields.replace(/\s+/g, '')
    assert.match(flat, /h=from:from:to:to:cc:subject:subject:date:date:reply-to:message-id:message-id:/)
    // The known SHA-256 of "Hello CRLF".
    assert.ok(flat.includes(`bh=${createHash('sha256').update('Hello\r\n').digest('base64')};`))
  })

  test('without keys gets no field', async () => {
    assert.equal((await signMessage(bytes(header), bytes(''), [], { at })).length, 0)
  })

  test('covers the fields of one-click unsubscribing', async () => {
    const list =
      'List-Unsubscribe: <https://x.test/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
    const message = await signed(header + list, bytes('Hello\r\n'))
    assert.deepEqual(await verdicts(message), ['pass', 'pass'])
    const text = message.toString('latin1')
    assert.deepEqual(await verdicts(bytes(text.replace('x.test/u', 'x.test/v'))), ['fail', 'fail'])
    assert.deepEqual(await verdicts(bytes(text.replace('=One-Click', '=Two-Click'))), ['fail', 'fail'])
  })

  test('covers the address of a feedback loop, without which it would not be used (RFC 9477 3.1)', async () => {
    const loop = 'CFBL-Address: fbl@x.test; report=arf\r\nCFBL-Feedback-ID: 1:2:3\r\n'
    const text = (await signed(header + loop, bytes('Hello\r\n'))).toString('latin1')
    assert.deepEqual(await verdicts(bytes(text)), ['pass', 'pass'])
    assert.deepEqual(await verdicts(bytes(text.replace('fbl@x.test', 'fbl@y.test'))), ['fail', 'fail'])
    assert.deepEqual(await verdicts(bytes(text.replace('1:2:3', '1:2:4'))), ['fail', 'fail'])
  })

  test('fails when a field that readers see is added', async () => {
    const text = (await signed(header, bytes('Hello\r\n'))).toString('latin1')
    for (const added of [
      'From: evil@z.test',
      'To: c@z.test',
      'Cc: c@z.test',
      'Subject: Other',
      'Reply-To: evil@z.test',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: base64',
    ]) {
      assert.deepEqual(await verdicts(bytes(`${added}\r\n${text}`)), ['fail', 'fail'], added)
    }
  })

  test('survives the usual changes of relays: trace fields, list fields, white space', async () => {
    const text = (await signed(header, bytes('Hello  there\r\n'))).toString('latin1')
    const relayed = `Received: from a by b; today\r\nList-Id: <l.z.test>\r\n${text
      .replace('Subject: Hi', 'SUBJECT:\r\n  Hi ')
      .replace('Hello  there', 'Hello \t there  ')}\r\n\r\n`
    assert.deepEqual(await verdicts(bytes(relayed)), ['pass', 'pass'])
  })

  test('fails when any bit of the signed part is flipped', async () => {
    const message = await signed(header, bytes('Hello\r\nworld, how are you?\r\n'))
    const start = message.indexOf('From: Jane')
    await fc.assert(
      fc.asyncProperty(
        fc.nat(message.length - start - 1),
        fc.constantFrom(1, 2, 4, 8, 16, 64),
        async (offset, bit) => {
          const place = start + offset
          const broken = Buffer.from(message)
          broken[place] = broken[place]! ^ bit
          // Line ends are left alone: whether a bare LF ends a line is the verifier's taste, not the signature's.
          fc.pre(message[place]! >= 0x20 && broken[place]! >= 0x20)
          const canonical = (value: Buffer) =>
            value
              .toString('latin1')
              .toLowerCase()
              .replace(/[ \t]+/g, ' ')
          // A flipped letter case within a field name changes nothing that counts, nor does other white space.
          fc.pre(canonical(broken) !== canonical(message))
          for (const verdict of await verdicts(broken)) assert.notEqual(verdict, 'pass')
        },
      ),
      { numRuns: 60 },
    )
  })

  test('a key that does not fit is refused, not turned into an empty signature', async () => {
    const [rsa, ed] = keys as [SigningKeyLike, SigningKeyLike]
    const attempt = (key: SigningKeyLike) => signMessage(bytes(header), bytes(''), [key], { at })
    await assert.rejects(attempt({ ...rsa, privateKey: ed.privateKey }), /is ed25519, not rsa/)
    await assert.rejects(attempt({ ...ed, privateKey: rsa.privateKey }), /is rsa, not ed25519/)
    await assert.rejects(attempt({ ...rsa, domain: 'x.test;\r\nBcc: e' }), /not a domain/)
    await assert.rejects(attempt({ ...rsa, selector: 'a b' }), /not a DKIM selector/)
  })
})

/** RFC 6376 3.4.4 as plainly as it can be said. */
function relaxed(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  while (lines.length > 0 && lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line}\r\n`).join('')
}
const hashOf = (text: string) => createHash('sha256').update(bytes(text)).digest('base64')

const bodyText = fc
  .array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.constantFrom('\r\n', ' ', '\t', '  ', ' \r\n', '\r\n\r\n', 'a', 'Zeile', '.', '=20'),
      },
      {
        weight: 1,
        arbitrary: fc.string({ minLength: 1, maxLength: 30 }).map((s) => s.replace(/[^\x20-\x7e]/g, '')),
      },
      { weight: 1, arbitrary: fc.constantFrom('\xe4\xf6\xa0', '\xa0', '\x85', 'x'.repeat(1200)) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

describe('the body hash', () => {
  test('is that of the canonical form, however the body is cut', async () => {
    const pieces = fc.array(fc.nat(2000), { maxLength: 8 })
    const wild = fc.oneof(
      bodyText,
      bodyText.map((b) => b.replaceAll('\r\n', '\r')),
      bodyText.map((b) => `${b}\r`),
    )
    await fc.assert(
      fc.asyncProperty(wild, pieces, async (body, cuts) => {
        const sorted = [0, ...cuts.map((c) => c % (body.length + 1)), body.length].sort((a, b) => a - b)
        const cut = sorted.slice(1).map((end, index) => bytes(body.slice(sorted[index], end)))
        assert.equal(await relaxedBodyHash(cut), hashOf(relaxed(body)))
        assert.equal(await relaxedBodyHash(bytes(body)), hashOf(relaxed(body)))
      }),
      { numRuns: 500 },
    )
  })

  test('of a composed body is that of its octets where the composer calls it canonical', () => {
    const texts = fc.option(bodyText, { nil: undefined })
    const files = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 2 })
    let canonical = 0
    fc.assert(
      fc.property(texts, texts, files, (text, html, contents) => {
        const { body, relaxed: claimed } = compose(
          {
            from: 'a@acme.test',
            to: [],
            cc: [],
            replyTo: [],
            subject: '',
            ...(text !== undefined && { text }),
            ...(html !== undefined && { html }),
            headers: [],
            attachments: contents.map((content) => ({
              filename: 'a.bin',
              contentType: 'application/octet-stream',
              content,
              disposition: 'attachment',
            })),
            messageId: '<1@acme.test>',
            date: 1_800_000_000_000,
          },
          ANY_BOUNDARY,
        )
        if (!claimed) return
        canonical++
        assert.equal(relaxed(body.toString('latin1')), body.toString('latin1'))
      }),
      { numRuns: 500 },
    )
    assert.ok(canonical > 20, `only ${canonical} were called canonical`)
  })

  test('holds across windows and stretches of a big body', async () => {
    const long = [
      `${'0123456789abcdef'.repeat(4)}\r\n`.repeat(20_000),
      `${' '.repeat(70_000)}x${'\r\n'.repeat(50_000)}y${'\t'.repeat(70_000)}`,
      `${'\r\n'.repeat(300_000)}`,
      `${'a b\r\n'.repeat(6553)}\r\n \r\n\t\r\nend  of it`,
      `${'x'.repeat(32_767)} \r\n${'y'.repeat(32_767)}\r\n`,
      `${'x'.repeat(32_767)}\r\n${'y'.repeat(32_765)}\r`,
    ]
    for (const [index, body] of long.entries()) {
      assert.equal(await relaxedBodyHash(bytes(body)), hashOf(relaxed(body)), `body ${index}`)
    }
  })

  test('of nothing, and of nothing but line ends, is that of the empty body', async () => {
    for (const body of ['', '\r\n', '\r\n\r\n', ' \t\r\n ', '  ']) {
      assert.equal(await relaxedBodyHash(bytes(body)), hashOf(''))
    }
  })

  test('of a big body lets the event loop run meanwhile', async () => {
    let turns = 0
    let done = false
    const count = () => {
      turns++
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await relaxedBodyHash(Buffer.alloc(8 << 20, 'x'))
    done = true
    assert.ok(turns >= 8, `${turns} turns`)
  })
})

describe('any message', () => {
  const name = fc.constantFrom(
    'To',
    'Cc',
    'subject',
    'References',
    'List-Id',
    'X-Other',
    'Received',
    'Sender',
    'Reply-To',
  )
  const value = fc
    .array(
      fc.constantFrom('word', ' ', '\t', '\r\n ', '\r\n\t', '  ', ':', ';', '=?utf-8?q?=C3=A4?=', '\xc3\xa4'),
    )
    // A fold needs something on its line, else some verifiers take it for the end of the header. No byte 0xA0 either:
    // the verifier at hand takes that for white space, which in a header it is not.
    .map((parts) =>
      parts
        .join('')
        .replace(/(\r\n[ \t]+)+(?=\r\n|$)/g, ' ')
        .replace(/^(\r\n)/, ' x$1'),
    )
  const field = fc
    .tuple(name, fc.constantFrom(':', ': ', ':\t'), value)
    .map((parts) => `${parts.join('')}\r\n`)
  const block = fc.array(field, { maxLength: 12 }).map((fields) => `From: a@x.test\r\n${fields.join('')}`)

  test('passes an independent verifier', async () => {
    await fc.assert(
      fc.asyncProperty(block, bodyText, async (head, body) => {
        assert.deepEqual(await verdicts(await signed(head, bytes(`${body}\r\n`))), ['pass', 'pass'])
      }),
      { numRuns: 150 },
    )
  })
})

test('the record publishes the public half of the key', () => {
  for (const { selector, algorithm, privateKey } of keys) {
    assert.equal(
      dkimRecord(algorithm, dkimPublicKey(privateKey)),
      records.get(`${selector}._domainkey.x.test`),
    )
  }
})
