import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asTemporary,
  decisiveFailure,
  failureOfError,
  failureOfReply,
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

test('a failure to open a session is reported with the server and a fitting code', () => {
  const server = 'mx.x.test [192.0.2.1]:25'
  const refused = failureOfError(new SmtpError('connect', 'connect', 'connection refused'), server, 'direct')
  assert.deepEqual(refused, {
    finding: 'server',
    code: undefined,
    enhancedCode: '4.4.1',
    message: `${server}: connection refused`,
    classification: { category: 'network', permanent: false },
    unreachable: true,
    asked: server,
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
    classification: { category: 'policy', permanent: false },
    unreachable: false,
    asked: server,
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

test('among several answers, a temporary one counts, and that of the best server', () => {
  const said = (finding: RouteFailure['finding'], message: string) => ({ finding, enhancedCode: '', message })
  const gone = said('recipient', 'first')
  const alsoGone = said('recipient', 'second')
  const down = said('server', 'third')
  const patience = said('patience', 'fourth')
  assert.equal(decisiveFailure([gone, alsoGone]), gone)
  assert.equal(decisiveFailure([gone, down]), down)
  assert.equal(decisiveFailure([gone, down, patience]), patience)
  assert.equal(asTemporary(gone).finding, 'server')
  assert.equal(asTemporary(patience), patience)
})

test('a missing capability of one server is not final while another server may have it', () => {
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

test('the category of an outcome follows from its words, or else from its finding', () => {
  const answered = (stage: 'mail' | 'rcpt' | 'dot', code: number, enhancedCode: string, message: string) => {
    const verdict = code < 500 ? 'deferred' : 'bounced'
    const reply = { verdict, stage, code, enhancedCode, message } as const
    const { category, permanent = false } = outcomeOfFailure(0, failureOfReply(reply, 'mx.x.test', 'direct')!)
    return [category, permanent]
  }
  assert.deepEqual(answered('rcpt', 550, '5.1.1', 'No such user'), ['address_unknown', true])
  assert.deepEqual(answered('rcpt', 450, '4.1.1', 'No such user'), ['address_unknown', false])
  assert.deepEqual(answered('rcpt', 452, '4.2.2', 'Over quota'), ['mailbox_full', false])
  assert.deepEqual(answered('dot', 554, '5.7.1', 'Spam detected'), ['content_spam', false])
  assert.deepEqual(answered('mail', 550, '5.7.1', 'User unknown'), ['policy', false])
  assert.deepEqual(answered('dot', 550, '', 'x'), ['policy', false])
  const lost = (kind: 'connect' | 'tls' | 'auth', message: string) =>
    outcomeOfFailure(0, failureOfError(new SmtpError(kind, 'connect', message), 'mx.x.test', 'direct'))
      .category
  assert.equal(lost('connect', 'connection refused'), 'network')
  assert.equal(lost('tls', 'certificate expired'), 'tls')
  assert.equal(lost('auth', 'no common mechanism'), 'authentication')
  const own = (finding: RouteFailure['finding'], enhancedCode: string, message: string) => {
    const { category, permanent } = outcomeOfFailure(0, { finding, enhancedCode, message })
    return [category, permanent]
  }
  const absent = 'DNS: the domain gone.test does not exist'
  // It suppresses nobody: a registration that lapsed comes back.
  assert.deepEqual(own('recipient', '5.1.2', absent), ['domain_unknown', undefined])
  const nullMx = 'The domain gone.test does not accept mail (null MX)'
  assert.deepEqual(own('dead-address', '5.1.10', nullMx), ['no_mail_accepted', true])
  assert.deepEqual(own('unreachable', '4.4.1', 'Not asked'), ['network', undefined])
  const failed = 'DNS: the MX lookup of x.test failed (SERVFAIL)'
  assert.deepEqual(own('server', '4.4.3', failed), ['network', undefined])
})
