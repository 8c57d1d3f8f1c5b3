/** A refusal of a recipient has the same consequences in the answer of a server and in a report that comes later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOfReply, outcomeOfFailure } from '../../src/delivery/outcome.ts'
import { reportedRecipient } from '../../src/mail/report/quoted-reasons.ts'
import { ANSWERS, partsOf } from '../mail/reply-examples.ts'

/** The answer to RCPT of a server that the domain names. */
function live(reply: string) {
  const { code, status, words } = partsOf(reply)
  const answer = {
    verdict: code! < 500 ? 'deferred' : 'bounced',
    stage: 'rcpt',
    code: code!,
    ...(status !== null && { enhancedCode: status }),
    message: reply,
    said: status === null ? words : `${status} ${words}`,
  } as const
  return outcomeOfFailure(0, failureOfReply(answer, 'mx.x.test', 'direct')!)
}

/** The same in the report of another server. */
function late(reply: string) {
  const address = 'x@y.test'
  const status = partsOf(reply).status
  return reportedRecipient({ address, original: null, final: null, action: 'failed', status, texts: [reply] })
}

const replies = Object.values(ANSWERS)
  .flatMap(({ dead = [], alive = [] }) => [...dead, ...alive])
  .filter((reply) => partsOf(reply).code !== null)
const refusals = replies.filter((reply) => partsOf(reply).code! >= 500)

test('an address is suppressed by an answer exactly when a report with the same words suppresses it', () => {
  assert.ok(refusals.length > 90)
  const suppressed = (permanent: boolean) => (permanent ? 'suppressed' : 'not suppressed')
  for (const reply of refusals) {
    const { suppress = false, category } = live(reply)
    const reported = late(reply)
    assert.equal(suppressed(suppress), suppressed(reported.permanent), reply)
    if (suppress) assert.equal(category, reported.category, reply)
  }
})

test('an answer counts as permanent exactly when it suppresses the address', () => {
  for (const reply of replies) {
    const { suppress = false, permanent = false } = live(reply)
    assert.equal(permanent, suppress, reply)
  }
})

test('a temporary answer suppresses nobody', () => {
  for (const reply of replies) {
    if (partsOf(reply).code! < 500) assert.equal(live(reply).suppress ?? false, false, reply)
  }
})

/** Words about this service or the server, in phrases that are used for dead addresses as well. */
const ABOUT_US = [
  '550 We no longer accept mail from your network',
  '550 We no longer accept mail from 192.0.2.1',
  '550 Mail from this IP is no longer accepted',
  '550 192.0.2.1 is not a valid mail server',
  '550 mx.acme.test is not a registered host',
  '550 Unknown host name',
  '550 Host unknown',
  '550 Invalid hostname',
  '550 Your host does not exist in DNS',
  '550 Unknown domain acme.test',
  '550 No MX record found for acme.test',
  '550 Invalid domain in From header',
  '550 Domain not found',
  '550 Invalid client address',
  '550 Unknown client address',
  '550 Invalid sending address',
  '550 Your IP address is invalid',
  '550 Your address was not found in our whitelist',
  '550 This server does not accept mail because of your reputation',
  '550 We do not accept mail unless your server has a PTR record',
  '550 High rate of invalid recipients from your server',
  '550 Excessive unknown recipients - possible open relay',
  '550 5.7.1 Directory harvest attack: unknown users',
  '550 Too many unknown users',
  '550 5.1.1 Too many invalid recipients, no such user',
  '550 5.1.1 User unknown; 192.0.2.1 has been blocked',
  '550 5.1.1 User unknown. Your IP address 192.0.2.1 is blacklisted',
  '550 5.1.1 User unknown: message blocked due to sending IP reputation',
  '550 5.3.2 System not accepting network messages',
  '550 5.3.2 x.test does not accept mail',
  '550 Server not accepting any mail right now',
  '550 Service no longer available',
  '550 Our mail servers have moved, update your DNS',
]

test('words about this service or the server suppress nobody', () => {
  assert.deepEqual(
    ABOUT_US.filter((reply) => live(reply).suppress),
    [],
  )
})

test('after RCPT an answer is about all recipients of the transaction, and suppresses nobody', () => {
  for (const reply of refusals) {
    const { code, status, words } = partsOf(reply)
    for (const stage of ['data', 'dot'] as const) {
      const answer = { verdict: 'bounced', stage, code: code!, message: reply, said: words } as const
      const enhancedCode = status ?? undefined
      const failure = failureOfReply(
        { ...answer, ...(enhancedCode && { enhancedCode }) },
        'mx.x.test',
        'direct',
      )!
      const { suppress = false, permanent = false } = outcomeOfFailure(0, failure)
      assert.deepEqual([suppress, permanent], [false, false], reply)
    }
  }
})
