import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  condemnsAddress,
  failureOfError,
  outcomeOfFailure,
  outcomeOfReply,
} from '../../../src/delivery/outcome.ts'
import { SmtpError, type Stage } from '../../../src/delivery/smtp/error.ts'
import type { RecipientReply } from '../../../src/delivery/smtp/transaction.ts'

const refusal = (code: number, enhancedCode?: string, stage: Stage = 'rcpt'): RecipientReply => ({
  verdict: code < 500 ? 'deferred' : 'bounced',
  code,
  ...(enhancedCode !== undefined && { enhancedCode }),
  message: 'no',
  stage,
})

const CONDEMNING: [code: number, enhancedCode?: string][] = [
  [550, '5.1.1'],
  [550, '5.1.0'],
  [550, '5.1.2'],
  [553, '5.1.3'],
  [550, '5.1.6'],
  [556, '5.1.10'],
  [550, '5.2.1'],
  [554, '5.1.1'],
  [550],
  [551],
  [553],
]

const NOT_CONDEMNING: [code: number, enhancedCode?: string][] = [
  [550, '5.7.1'],
  [554, '5.7.1'],
  [550, '5.7.26'],
  [552, '5.2.2'],
  [550, '5.2.2'],
  [552, '5.3.4'],
  [550, '5.1.7'],
  [550, '5.1.8'],
  [550, '5.1.9'],
  [550, '5.4.1'],
  [550, '5.5.0'],
  [550, '5.11.1'],
  [552],
  [554],
  [500],
  [503],
  [530],
  [450, '4.1.1'],
  [450, '4.2.1'],
  [450],
  [421],
]

test('a permanent refusal of the address itself condemns it', () => {
  for (const [code, enhancedCode] of CONDEMNING) {
    assert.equal(condemnsAddress(refusal(code, enhancedCode)), true, `${code} ${enhancedCode}`)
    assert.equal(outcomeOfReply(0, refusal(code, enhancedCode)).suppress, true)
  }
})

test('policy, full mailboxes, the sender, the content and everything temporary do not condemn the address', () => {
  for (const [code, enhancedCode] of NOT_CONDEMNING) {
    assert.equal(condemnsAddress(refusal(code, enhancedCode)), false, `${code} ${enhancedCode}`)
    assert.equal('suppress' in outcomeOfReply(0, refusal(code, enhancedCode)), false)
  }
})

test('the same words at another stage than RCPT do not condemn the address', () => {
  for (const stage of ['greeting', 'mail', 'data', 'dot'] as const) {
    for (const [code, enhancedCode] of CONDEMNING) {
      assert.equal(
        condemnsAddress(refusal(code, enhancedCode, stage)),
        false,
        `${code} ${enhancedCode} ${stage}`,
      )
    }
  }
})

test('only what the server refused for good counts, not what we could not send', () => {
  assert.equal(condemnsAddress({ ...refusal(550, '5.1.1'), verdict: 'failed' }), false)
})

test('an outcome carries position, codes and at most 1,000 characters', () => {
  const outcome = outcomeOfReply(7, {
    verdict: 'delivered',
    code: 250,
    message: 'x'.repeat(5000),
    stage: 'dot',
  })
  assert.equal(outcome.position, 7)
  assert.equal(outcome.code, 250)
  assert.equal('enhancedCode' in outcome, false)
  assert.equal(outcome.message.length, 1000)
  const failure = { permanent: false, enhancedCode: '4.4.3', message: 'y'.repeat(5000) }
  assert.equal(outcomeOfFailure(7, failure).message.length, 1000)
})

test('a session that could not be opened is told with the server and a fitting code', () => {
  const server = 'mx.x.test [192.0.2.1]:25'
  const refused = failureOfError(new SmtpError('connect', 'connect', 'connection refused'), server)
  assert.deepEqual(refused, {
    permanent: false,
    enhancedCode: '4.4.1',
    message: `${server}: connection refused`,
  })
  const said = new SmtpError('reply', 'greeting', `${server} refused the session`, {
    code: 554,
    enhancedCode: null,
  })
  assert.deepEqual(failureOfError(said, server), {
    permanent: true,
    code: 554,
    enhancedCode: '5.3.0',
    message: `${server} refused the session`,
  })
  const coded = new SmtpError('reply', 'greeting', 'no', { code: 554, enhancedCode: '5.7.1' })
  assert.equal(failureOfError(coded, server).enhancedCode, '5.7.1')
  assert.equal(failureOfError(new SmtpError('timeout', 'ehlo', 'too slow'), server).enhancedCode, '4.4.2')
  assert.equal(failureOfError(new SmtpError('tls', 'starttls', 'no TLS'), server).enhancedCode, '4.7.5')
})
