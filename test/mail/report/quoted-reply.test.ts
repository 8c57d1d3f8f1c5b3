/** The codes and the words of a reply that a report repeats. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQuotedReply } from '../../../src/mail/report/quoted-reply.ts'

const REPLIES: [text: string, code: number | null, status: string | null, words: string][] = [
  ['550 5.1.1 User unknown', 550, '5.1.1', '550 5.1.1 User unknown'],
  ['550-5.1.1 User\n550 5.1.1 unknown', 550, '5.1.1', '550-5.1.1 User 550 5.1.1 unknown'],
  [
    '521-5.7.1 Service unavailable; blocked\n521 5.7.1 See x',
    521,
    '5.7.1',
    '521-5.7.1 Service unavailable; blocked 521 5.7.1 See x',
  ],
  ['unknown. Call +1 555 0100', null, null, 'unknown. Call +1 555 0100'],
  ['host mx.test[192.0.2.1] said: 452 4.2.2 Full', 452, '4.2.2', '452 4.2.2 Full'],
  ["5.1.0 - Unknown address error 550-'5.2.2 Mailbox full'", 550, '5.2.2', "550-'5.2.2 Mailbox full'"],
  [
    "Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound'",
    550,
    '5.1.10',
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound'",
  ],
  [
    'Remote host said: 550 sorry, no mailbox here (#5.1.1)\nGiving up on 192.0.2.1.',
    550,
    '5.1.1',
    '550 sorry, no mailbox here (#5.1.1)',
  ],
  [
    'most progress was RCPT; remote host said: 550 Unknown user\n(Other MXes tried: 192.0.2.2 said 421 for RCPT.)',
    550,
    null,
    '550 Unknown user',
  ],
  [
    '550 <a@b.test>... User unknown\n421 b.test (smtp)... Deferred',
    550,
    null,
    '550 <a@b.test>... User unknown',
  ],
  ['450 450 4.2.2 Mailbox full', 450, '4.2.2', '450 450 4.2.2 Mailbox full'],
  ['552: 5.2.2 Mailbox full', 552, '5.2.2', '552: 5.2.2 Mailbox full'],
  [
    'jane Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 User Unknown',
    550,
    '5.1.1',
    '550, ERROR_CODE :5.1.1 User Unknown',
  ],
  // Numbers that are no codes.
  [
    'connect to mx.test[203.0.113.1]:25: Connection timed out',
    null,
    null,
    'connect to mx.test[203.0.113.1]:25: Connection timed out',
  ],
  ['host 203-0-113-1.mx.test did not answer', null, null, 'host 203-0-113-1.mx.test did not answer'],
  ['the message has 500 bytes too many', null, null, 'the message has 500 bytes too many'],
  ['User unknown (#5.1.1)', null, '5.1.1', 'User unknown (#5.1.1)'],
]

for (const [text, code, status, words] of REPLIES) {
  test(text.replaceAll('\n', ' '), () => {
    assert.deepEqual(readQuotedReply(text), { code, status, words })
  })
}

test('at most 1,000 characters are kept', () => {
  assert.equal(readQuotedReply(`550 ${'x'.repeat(5_000)}`).words.length, 1_000)
})
