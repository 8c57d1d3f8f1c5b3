/** Advice in refusals beyond the finding, in the words of real servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviceIn } from '../../src/delivery/judge/reply-advice.ts'
import { blockListIn } from '../../src/mail/reply/block-lists.ts'
import { requestedWait } from '../../src/mail/reply/requested-wait.ts'

test('the time that a server asks us to wait', () => {
  const rows: [words: string, seconds: number | null][] = [
    ['4.2.0 <x@y.test>: Recipient address rejected: Greylisted for 300 seconds', 300],
    ['Greylisted, see http://postgrey.schweikert.ch/help/x.html', null],
    ['4.7.1 Greylisting in action, please come back in 00:04:59', 299],
    ['4.7.0 Too many messages, try again in 5 minutes', 300],
    ['Please try again after 60 sec', 60],
    ['4.7.28 rate limited. Retry after 90s', 90],
    ['Try again later', null],
    ['try again in 2 hours', 3_600],
    ['try again in 0 seconds', 1],
    ['try again in 999999 seconds', 3_600],
    ['You may retry in 10 fortnights', null],
    ['accepted for delivery in 5 seconds', null],
    ['try again in 3.5 minutes', 210],
    ['retry in 1,800 seconds', 1_800],
    ['retry in 1,800,000 ms', null],
    ['try again in 2 days', 3_600],
    ['wait for 300. Then try again', 300],
    ['temporarily deferred for 10.0.0.1', null],
    ['temporarily deferred for 2001:db8::1', null],
    ['greylisted for 192.0.2.1, try again in 90 seconds', 90],
  ]
  for (const [words, seconds] of rows) assert.equal(requestedWait(words), seconds && seconds * 1_000, words)
})

test('the block list that a server names, and the URL for removals', () => {
  const rows: [words: string, name: string | undefined][] = [
    ['5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'Spamhaus'],
    ['rejected because 192.0.2.1 is in a black list at bl.spamcop.net', 'SpamCop'],
    ['http://www.barracudacentral.org/reputation?pr=1&ip=192.0.2.1', 'Barracuda Central'],
    [
      "5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. part of their network is on our block list (S3150).",
      'Outlook.com',
    ],
    ['5.7.606 Access denied, banned sending IP [192.0.2.1]', 'Microsoft 365'],
    ['Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'Proofpoint'],
    ['IP=192.0.2.1 - A problem occurred. Ask your postmaster', 'T-Online'],
    ['Blocked for abuse. See http://att.net/blocks', 'AT&T'],
    ['Service refused, please try later. OFR006_103 192.0.2.1 [103]', 'Orange'],
    ['your address is not welcome here', undefined],
  ]
  for (const [words, name] of rows) assert.equal(blockListIn(words)?.name, name, words)
})

test('too many sessions are distinguished from too many messages', () => {
  assert.equal(adviceIn('Too many connections from 192.0.2.1', 'busy', 'mail').excess, 'sessions')
  assert.equal(adviceIn('', 'busy', 'greeting').excess, 'sessions')
  assert.equal(adviceIn('4.7.1 rate limit exceeded', 'busy', 'rcpt').excess, 'messages')
  assert.deepEqual(adviceIn('blocked using zen.spamhaus.org', 'message', 'dot'), {})
})

test('no pattern is slow on the longest reply', () => {
  for (const words of [
    'again in '.repeat(200),
    'wait for '.repeat(200),
    `retry ${'a '.repeat(900)}`,
    'ip=1 '.repeat(300),
  ]) {
    const begun = process.cpuUsage()
    for (let n = 0; n < 200; n++) adviceIn(words, n % 2 === 0 ? 'busy' : 'path', 'rcpt')
    const { user } = process.cpuUsage(begun)
    assert.ok(user / 200 < 5_000, `${user / 200} µs: ${words.slice(0, 20)}`)
  }
})
