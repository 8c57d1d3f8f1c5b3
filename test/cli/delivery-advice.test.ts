/** The advice about waiting mail, from its last replies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAdvice } from '../../src/cli/delivery-advice.ts'

const unanswered = (host: string) => `${host} [192.0.2.1]:25 accepted no connection in time`

test('servers of several unrelated sites that do not answer: port 25 may be blocked', () => {
  const [advice, ...others] = deliveryAdvice(['mx.one.test', 'mx.two.test', 'mx.three.test'].map(unanswered))
  assert.match(advice!, /block port 25/)
  assert.deepEqual(others, [])
})

test('a dead site, however many servers and recipient domains it has, says nothing about port 25', () => {
  const dead = ['mx1.one.test', 'mx2.one.test', 'mx3.one.test', 'mx.two.test'].map(unanswered)
  const [advice] = deliveryAdvice([...dead, ...dead, null, '450 4.7.1 Greylisted'])
  assert.match(advice!, /^A server does not answer\. .*postroad doctor/)
  assert.doesNotMatch(advice!, /port 25/)
})
