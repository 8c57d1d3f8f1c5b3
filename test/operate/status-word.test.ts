/** One word for the status of an email, of a recipient, and after an event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptTls } from '../../src/email/attempt-tls.ts'
import type { LastEventType } from '../../src/email/event.ts'
import { attemptResult } from '../../src/operate/reply-code.ts'
import {
  type Status,
  type StatusName,
  statusOfEmail,
  statusOfEvent,
  statusOfRecipient,
} from '../../src/operate/status-word.ts'

const textOf = ({ of, note }: Status) => (note === undefined ? of : `${of} ${note}`)

test('an email takes the worst status of its recipients', () => {
  const of = (lastEvent: LastEventType, recipients: number, counts: Partial<Record<StatusName, number>>) => {
    const states = Object.entries(counts) as [StatusName, number][]
    return textOf(
      statusOfEmail({ lastEvent, recipients, states: states.map(([status, count]) => ({ status, count })) }),
    )
  }
  assert.equal(of('clicked', 1, { delivered: 1 }), 'clicked')
  assert.equal(of('sent', 1, { accepted: 1 }), 'accepted')
  assert.equal(of('sent', 1, { paused: 1 }), 'paused')
  assert.equal(of('scheduled', 3, { paused: 1, scheduled: 2 }), 'paused 1 of 3')
  assert.equal(of('sent', 2, { held: 1, retrying: 1 }), 'held 1 of 2, 1 retrying')
  assert.equal(of('queued', 2, { accepted: 2 }), 'accepted')
  assert.equal(of('sent', 2, { accepted: 1, sending: 1 }), 'sending 1 of 2')
  assert.equal(of('sent', 1, { sending: 1 }), 'sending')
  assert.equal(of('scheduled', 1, { scheduled: 1 }), 'scheduled')
  assert.equal(of('scheduled', 1, { accepted: 1 }), 'accepted', 'its time has come')
  assert.equal(of('delivery_delayed', 1, { retrying: 1 }), 'retrying')
  assert.equal(of('delivery_delayed', 1, { sending: 1 }), 'sending', 'tried again now')
  assert.equal(of('delivery_delayed', 6, { delivered: 4, retrying: 2 }), 'retrying 2 of 6')
  assert.equal(of('opened', 6, { delivered: 4, retrying: 2 }), 'retrying 2 of 6')
  assert.equal(of('delivery_delayed', 1, { quarantined: 1 }), 'quarantined')
  assert.equal(of('complained', 1, { bounced: 1 }), 'complained')
  assert.equal(of('delivery_delayed', 1, {}), 'retrying', 'nothing is known of its recipients')
  assert.equal(of('canceled', 3, { delivered: 1, canceled: 2 }), 'canceled 2 of 3')
  assert.equal(of('delivered', 3, { delivered: 3 }), 'delivered')
  assert.equal(of('delivered', 1, { captured: 1 }), 'captured')
  assert.equal(of('opened', 1, { captured: 1 }), 'opened')
  assert.equal(of('delivered', 3, { delivered: 2, accepted: 1 }), 'delivered 2 of 3')
  assert.equal(of('delivered', 3, { delivered: 2, bounced: 1 }), 'bounced 1 of 3')
  assert.equal(of('bounced', 3, { bounced: 1, delivered: 1, retrying: 1 }), 'bounced 1 of 3, 1 retrying')
  assert.equal(of('suppressed', 3, { suppressed: 1, accepted: 2 }), 'suppressed 1 of 3, 2 accepted')
  const delayed = { delivered: 1, held: 1, retrying: 2 }
  assert.equal(of('suppressed', 5, { ...delayed, suppressed: 1 }), 'suppressed 1 of 5, 1 held, 2 retrying')
  assert.equal(of('bounced', 2, { bounced: 2 }), 'bounced')
  assert.equal(of('delivered', 1000, { delivered: 100 }), 'delivered 100+ of 1000')
  assert.equal(of('opened', 1000, { delivered: 100 }), 'opened')
  assert.equal(of('delivered', 1000, { delivered: 98, failed: 2 }), 'failed 2+ of 1000')
  const [lastEvent, attempt] = ['delivery_delayed', 'attempt 2 of 6'] as const
  const retrying = { status: 'retrying', count: 1, attempt } as const
  assert.equal(
    textOf(statusOfEmail({ lastEvent, recipients: 1, states: [retrying] })),
    'retrying attempt 2 of 6',
  )
  const delivered = { status: 'delivered', count: 1 } as const
  assert.equal(
    textOf(statusOfEmail({ lastEvent, recipients: 2, states: [delivered, retrying] })),
    'retrying 1 of 2',
  )
})

test('a waiting recipient has the word of its reason to wait', () => {
  const recipient = { state: 'waiting', attempts: 0, delayed: false, server: null } as const
  const of = (rest: Partial<Parameters<typeof statusOfRecipient>[0]>) =>
    textOf(statusOfRecipient({ ...recipient, waits: 'turn', ...rest }, 6))
  assert.equal(of({}), 'accepted')
  assert.equal(of({ delayed: true }), 'retrying', 'refused before an attempt was spent')
  assert.equal(of({ waits: 'refusal', delayed: true }), 'retrying')
  assert.equal(of({ waits: 'retry', attempts: 1, delayed: true }), 'retrying attempt 2 of 6')
  assert.equal(of({ attempts: 6, delayed: true }), 'retrying attempt 6 of 6')
  assert.equal(of({ waits: 'schedule' }), 'scheduled')
  assert.equal(of({ waits: 'pause' }), 'paused')
  assert.equal(of({ waits: 'domain' }), 'held')
  assert.equal(of({ waits: 'path', attempts: 2, delayed: true }), 'held')
  assert.equal(of({ state: 'delivered', waits: null, server: 'mx.x.test' }), 'delivered')
  assert.equal(of({ state: 'delivered', waits: null, server: 'capture' }), 'captured')
  assert.equal(of({ state: 'quarantined', waits: 'release' }), 'quarantined')
})

test('an event has the word of the status that it leads to', () => {
  assert.equal(statusOfEvent('sent'), 'accepted')
  assert.equal(statusOfEvent('delivery_delayed'), 'retrying')
  assert.equal(statusOfEvent('delivered', 'mx.x.test'), 'delivered')
  assert.equal(statusOfEvent('delivered', 'capture'), 'captured')
})

test('the result of an attempt is the code of the reply that decided it, or its fault after a success', () => {
  const resultOf = (ending: string, tls: AttemptTls | null = null) => attemptResult(ending, tls)
  const PLAIN = { version: null, cipher: null, demand: 'required', source: 'site', verified: false } as const
  const greeted = '2 < 220 mx.x.test\n3 > EHLO us.test\n4 < 250 mx.x.test'
  const server = 'mx.x.test [192.0.2.1]:25'
  const doubt = `${server} offers no STARTTLS, but TLS is required`
  assert.equal(resultOf(`${greeted}\n4 > QUIT\n5 < 221 bye`, { ...PLAIN, doubt }), 'no TLS')
  const encrypting = `${greeted}\n5 > STARTTLS\n6 < 220 2.0.0 go ahead`
  const mismatch = 'no TLSA record matches the certificate'
  assert.equal(
    resultOf(`${encrypting}\n9 * ${server} failed the TLS handshake: ${mismatch}`),
    'certificate does not match',
  )
  assert.equal(
    resultOf(`${encrypting}\n9 * ${server} failed the TLS handshake: the connection was closed`),
    'TLS failed',
  )
  const inData = `${greeted}\n5 > DATA\n6 < 354 go ahead\n6 > (message of 9 octets)`
  const duringDot = (what: string) => resultOf(`${inData}\n9 * ${server} ${what}`)
  assert.equal(duringDot('closed the connection during its answer to the message'), 'connection lost')
  assert.equal(duringDot('took too long over its answer to the message'), 'no answer in time')
  assert.equal(
    duringDot('had the message when Postroad was stopped; the recipient may get it twice'),
    'Postroad was stopped',
  )
  assert.equal(resultOf(`${inData}\n9 < 250 2.0.0 Ok`), '250 2.0.0')
  const leaving = `9 * ${server} was disconnected by us during its answer to the message`
  assert.equal(resultOf(`${inData}\n${leaving}`), 'Postroad was stopped')
  assert.equal(
    resultOf(`${inData}\n9 * abandoned before the final dot, for a lost lease\n${leaving}`),
    'not handed over',
  )
  assert.equal(
    resultOf(`${greeted}\n5 > DATA\n9 < 250 Ok\n9 * ${server} answered DATA with 250 Ok`),
    'reply out of step',
  )
  const early =
    '7 > RCPT TO:<b@y.test>\n7 > DATA\n9 < 550 5.1.1 no such user\n9 < 354 go ahead\n' +
    `9 * DATA was accepted without recipients; leaving before anything is sent\n${leaving}`
  assert.equal(resultOf(early), '550 5.1.1')
  const refused = '3 < 220 mx.x.test\n4 > EHLO us.test\n9 < 421 4.7.0 [TSS04] deferred'
  assert.equal(resultOf(refused), '421 4.7.0')
  assert.equal(resultOf(`${refused}\n9 > QUIT\n12 < 221 2.0.0 bye`), '421 4.7.0')
  assert.equal(resultOf('9 < 451-4.2.0 later\n9 < 451 4.2.0 please'), '451 4.2.0')
  const together = '7 > MAIL FROM:<a@x.test>\n7 > RCPT TO:<b@y.test>\n7 > DATA\n9 < 451 4.7.650 rate limited'
  assert.equal(resultOf(`${together}\n9 < 503 5.5.1 MAIL first\n9 < 503 no recipients`), '451 4.7.650')
  assert.equal(resultOf(`${together}\n9 < 503 5.5.1 MAIL first\n9 < 554 5.5.1 none`), '451 4.7.650')
  assert.equal(resultOf('9 > DATA\n9 < 503 5.5.1 bad sequence'), '503 5.5.1', 'the only refusal')
  assert.equal(resultOf('rted\n9 < 250 OK 1.2.3'), '250')
  assert.equal(resultOf('0 * mx.x.test refused the connection'), null)
  assert.equal(resultOf('0 * the server sent 550 5.1.1'), null, 'a note is not a reply')
  assert.equal(resultOf(''), null)
})
