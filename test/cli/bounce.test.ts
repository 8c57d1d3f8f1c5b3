/** `bounce read` at the command line, for people and for scripts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bin, newWorkplace, runProgram, type Workplace } from './postroad.ts'

const BOUNCE = `Return-Path: <>
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
To: sender@acme.test
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

This is the mail system at host mx.example.net.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; jane@example.org
Original-Recipient: rfc822; sales@example.net
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <jane@example.org>: Recipient address rejected: User unknown

--b
Content-Type: text/rfc822-headers

Message-ID: <1@acme.test>
From: Acme <sender@acme.test>

--b--
`
const HOLIDAY = `From: jane@example.org
To: sender@acme.test
Subject: Away
Auto-Submitted: auto-replied
In-Reply-To: <2@acme.test>

Until Monday.
`

let place: Workplace
before(() => {
  place = newWorkplace()
  writeFileSync(join(place.folder, 'bounce.eml'), BOUNCE)
  writeFileSync(join(place.folder, 'holiday.eml'), HOLIDAY)
  writeFileSync(join(place.folder, 'empty.eml'), '')
  writeFileSync(join(place.folder, 'large.eml'), BOUNCE + 'x'.repeat(1_100_000))
})
after(() => place.remove())

test('names the recipient, the email and the reason', async () => {
  const { code, stdout } = await place.run('bounce', 'read', 'bounce.eml')
  assert.equal(code, 0)
  assert.match(stdout, /^Kind: +bounce: delivery has failed$/m)
  assert.match(stdout, /^Message-ID: +<1@acme\.test>$/m)
  assert.match(stdout, /^sales@example\.net$/m)
  assert.match(stdout, /^ {2}failed, address_unknown, the address is dead \(550 5\.1\.1\)$/m)
  assert.match(stdout, /User unknown$/m)
})

test('--json has stable field names', async () => {
  assert.deepEqual(await place.json('bounce', 'read', 'bounce.eml'), {
    kind: 'bounce',
    recipients: [
      {
        address: 'sales@example.net',
        original_recipient: 'sales@example.net',
        action: 'failed',
        status: '5.1.1',
        reply: 550,
        permanent: true,
        category: 'address_unknown',
        message: '550 5.1.1 <jane@example.org>: Recipient address rejected: User unknown',
      },
    ],
    returned: {
      message_id: '<1@acme.test>',
      feedback_id: null,
      from: 'sender@acme.test',
      envelope_id: null,
      mail_from: null,
    },
  })
})

test('several files give one object a line, and an unreadable one does not stop the others', async () => {
  const files = ['holiday.eml', 'missing.eml', 'empty.eml', 'bounce.eml']
  const { code, stdout, stderr } = await place.run('bounce', 'read', ...files, '--json')
  assert.equal(code, 1)
  const shown = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    shown.map(({ file, kind, returned }) => [file, kind, returned.message_id]),
    [
      ['holiday.eml', 'auto_reply', '<2@acme.test>'],
      ['bounce.eml', 'bounce', '<1@acme.test>'],
    ],
  )
  assert.match(stderr, /^postroad: missing\.eml cannot be read: there is no such file$/m)
  assert.match(stderr, /^postroad: empty\.eml is empty$/m)
})

test('reads standard input, and no more than 1 MiB of a file', async () => {
  const script = '"$0" bounce read - < holiday.eml'
  const { code, stdout } = await runProgram('/bin/sh', ['-c', script, bin], {
    cwd: place.folder,
    env: place.env,
  })
  assert.equal(code, 0)
  assert.match(stdout, /^Kind: +auto_reply/m)
  const large = await place.run('bounce', 'read', 'large.eml')
  assert.equal(large.code, 0)
  assert.match(large.stdout, /sales@example\.net/)
  assert.match(large.stderr, /^large\.eml: only the first 1 MiB is read$/m)
})

test('--apply says what followed, in the fields of the HTTP answer', async () => {
  await place.run('company', 'create', 'Acme')
  const { stdout } = await place.run('bounce', 'read', 'bounce.eml', '--apply', '--json')
  const { id, ...applied } = JSON.parse(stdout)
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(applied, {
    file: 'bounce.eml',
    kind: 'bounce',
    outcome: 'no_email',
    note: null,
    events: 0,
    email_id: null,
  })
})

test('an unreadable file is reported', async () => {
  const { code, stderr } = await place.run('bounce', 'read', '.')
  assert.deepEqual([code, stderr], [1, 'postroad: . cannot be read: it is a folder\n'])
})
