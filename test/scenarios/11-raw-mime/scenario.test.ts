/**
 * 11: raw MIME (form endpoint, messages.mime).
 *
 * A client hands in a finished message and the envelope recipients. It is delivered as it is, octet for octet, with a signature before it;
 * only the author and the address for answers are written anew, to the same meaning. Bcc goes to the envelope and not into the message; every address in `to` gets it, whatever the header says.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { startRelayed } from '../../support/relayed-service.ts'

const FROM = 'From: =?utf-8?q?J=C3=B6rg?= <joerg@acme.test>\r\n'
const FROM_ANEW = 'From: =?utf-8?B?SsO2cmc=?= <joerg@acme.test>\r\n'
const REST = [
  'To: undisclosed-recipients:;',
  'Subject: raw',
  'Message-ID: <raw-1@acme.test>',
  'Date: Fri, 20 Nov 2026 10:00:00 +0000',
  'X-Folded: one',
  '\ttwo',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b 1"',
  '',
  'preamble',
  '--b 1',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '.dot=20and=\r\n..dots',
  '--b 1',
  'Content-Type: application/octet-stream',
  'Content-Transfer-Encoding: base64',
  '',
  'AAECAwQF',
  '--b 1--',
  'epilogue',
  '',
].join('\r\n')

test('a finished message leaves as it came, signed', async () => {
  await using stage = await startRelayed()
  const { sink, api, tenant } = stage
  const { status, body } = await api.sendForm(
    'acme.test',
    [
      ['to', 'ann@in.test, ben@in.test'],
      ['message', new File([FROM + REST], 'message.mime', { type: 'message/rfc822' })],
    ],
    'messages.mime',
  )
  assert.equal(status, 200)
  assert.deepEqual(body, { id: '<raw-1@acme.test>', message: 'Queued. Thank you.' })
  const { raw, recipients } = await sink.next()
  assert.deepEqual([...recipients].sort(), ['ann@in.test', 'ben@in.test'])
  const text = raw.toString()
  assert.ok(text.endsWith(FROM_ANEW + REST), text)
  const before = text.slice(0, -(FROM_ANEW + REST).length)
  assert.match(before, /^DKIM-Signature:/i)
  const check = await verifyDkim(raw, tenant.keys)
  assert.ok(check.pass, JSON.stringify(check.signatures))
})
