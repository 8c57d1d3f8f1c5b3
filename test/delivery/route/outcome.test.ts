import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asTemporary,
  failureOfError,
  failureOfReply,
  mostTelling,
  outcomeOfFailure,
  outcomeOfReply,
  type RouteFailure,
} from '../../../src/delivery/outcome.ts'
import { SmtpError } from '../../../src/delivery/smtp/error.ts'

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
  const failure = { finding: 'server' as const, enhancedCode: '4.4.3', message: 'y'.repeat(5000) }
  assert.equal(outcomeOfFailure(7, failure).message.length, 1000)
})

test('a session that could not be opened is told with the server and a fitting code', () => {
  const server = 'mx.x.test [192.0.2.1]:25'
  const refused = failureOfError(new SmtpError('connect', 'connect', 'connection refused'), server, 'direct')
  assert.deepEqual(refused, {
    finding: 'server',
    code: undefined,
    enhancedCode: '4.4.1',
    message: `${server}: connection refused`,
    unreachable: true,
  })
  const said = new SmtpError('reply', 'greeting', `${server} refused the session`, {
    code: 554,
    enhancedCode: null,
  })
  assert.deepEqual(failureOfError(said, server, 'direct'), {
    finding: 'path',
    code: 554,
    enhancedCode: '4.3.0',
    message: `${server} refused the session`,
    unreachable: false,
  })
  const coded = new SmtpError('reply', 'greeting', 'no', { code: 554, enhancedCode: '5.7.1' })
  assert.equal(failureOfError(coded, server, 'direct').enhancedCode, '5.7.1')
  assert.equal(
    failureOfError(new SmtpError('timeout', 'ehlo', 'too slow'), server, 'direct').enhancedCode,
    '4.4.2',
  )
  assert.equal(
    failureOfError(new SmtpError('tls', 'starttls', 'no TLS'), server, 'direct').enhancedCode,
    '4.7.5',
  )
})

test('of what several servers said, that one of them may take it later counts, and the best one’s word', () => {
  const said = (finding: RouteFailure['finding'], message: string) => ({ finding, enhancedCode: '', message })
  const gone = said('recipient', 'first')
  const alsoGone = said('recipient', 'second')
  const down = said('server', 'third')
  const patience = said('patience', 'fourth')
  assert.equal(mostTelling([gone, alsoGone]), gone)
  assert.equal(mostTelling([gone, down]), down)
  assert.equal(mostTelling([gone, down, patience]), patience)
  assert.equal(asTemporary(gone).finding, 'server')
  assert.equal(asTemporary(patience), patience)
})

test('what the message needs and one server has not is not that recipient’s end while another may have it', () => {
  const reply = {
    verdict: 'failed',
    message: 'no SMTPUTF8',
    stage: 'mail',
    enhancedCode: '5.6.7',
    unsuited: true,
  } as const
  const failure = failureOfReply(reply, 'mx1.x.test', 'direct')!
  assert.equal(failure.finding, 'unsuited')
  assert.equal(outcomeOfFailure(0, failure).verdict, 'failed')
  assert.equal(
    failureOfReply({ verdict: 'delivered', message: 'ok', stage: 'dot' }, 'mx1.x.test', 'direct'),
    null,
  )
})
