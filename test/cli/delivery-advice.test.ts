/** The advice about waiting mail, from its last replies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAdvice } from '../../src/cli/delivery-advice.ts'

const DIRECT = { relayed: false }
const RELAYED = { relayed: true }
const unanswered = (host: string) => `${host} [192.0.2.1]:25 accepted no connection in time`

test('servers of several unrelated sites that do not answer: port 25 may be blocked', () => {
  const [advice, ...others] = deliveryAdvice(
    ['mx.one.test', 'mx.two.test', 'mx.three.test'].map(unanswered),
    DIRECT,
  )
  assert.match(advice!, /block port 25/)
  assert.deepEqual(others, [])
})

test('a dead site, however many servers and recipient domains it has, says nothing about port 25', () => {
  const dead = ['mx1.one.test', 'mx2.one.test', 'mx3.one.test', 'mx.two.test'].map(unanswered)
  const [advice] = deliveryAdvice([...dead, ...dead, null, '450 4.7.1 Greylisted'], DIRECT)
  assert.match(
    advice!,
    /^mx1\.one\.test and mx\.two\.test do not answer\. They may be down: .*postroad doctor/,
  )
  assert.doesNotMatch(advice!, /port 25/)
})

test('relays are spoken of only where there is one', () => {
  for (const hosts of [['mx.one.test'], ['mx.one.test', 'mx.two.test', 'mx.three.test']]) {
    const messages = hosts.map(unanswered)
    assert.doesNotMatch(deliveryAdvice(messages, DIRECT)[0]!, /POSTROAD_DELIVERY/)
    assert.match(
      deliveryAdvice(messages, RELAYED)[0]!,
      /a relay, check its host and port in POSTROAD_DELIVERY/,
    )
  }
})

test('a domain whose name servers fail says nothing about the DNS of this machine', () => {
  const failed = (domain: string, reason = 'SERVFAIL') => `DNS: the MX lookup of ${domain} failed (${reason})`
  const one = 'one.test: its name servers fail; its mail is tried again'
  assert.deepEqual(deliveryAdvice([failed('one.test'), failed('one.test', 'TIMEOUT')], DIRECT), [one])
  const two = 'one.test and two.test: their name servers fail; their mail is tried again'
  assert.deepEqual(deliveryAdvice([failed('one.test'), failed('two.test')], DIRECT), [two])
  for (const messages of [
    ['one.test', 'two.test', 'three.test'].map((domain) => failed(domain)),
    [failed('one.test', 'CONNREFUSED')],
    [failed('one.test', 'REFUSED')],
  ]) {
    assert.match(deliveryAdvice(messages, DIRECT)[0]!, /^DNS does not answer: /)
  }
})
