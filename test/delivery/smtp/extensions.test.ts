import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSendable, mailCommand } from '../../../src/delivery/smtp/envelope.ts'
import { type Extensions, noExtensions, parseExtensions } from '../../../src/delivery/smtp/extensions.ts'

function ehlo(...lines: string[]): Extensions {
  return parseExtensions({ code: 250, enhancedCode: null, lines: ['mx.example.test', ...lines] })
}

test('known extensions are read in any case of letters; others are skipped', () => {
  const extensions = ehlo(
    'pipelining',
    'SIZE 35882577',
    '8BITMIME',
    'SmtpUtf8',
    'ENHANCEDSTATUSCODES',
    'CHUNKING',
    'STARTTLS',
  )
  assert.deepEqual(extensions, {
    pipelining: true,
    sizeOffered: true,
    size: 35_882_577,
    eightBitMime: true,
    smtpUtf8: true,
    dsn: false,
    enhancedStatusCodes: true,
    startTls: true,
    auth: new Set(),
  })
})

test('the first line is a greeting, whatever its content', () => {
  const reply = { code: 250, enhancedCode: null, lines: ['PIPELINING'] }
  assert.deepEqual(parseExtensions(reply), noExtensions)
})

test('SIZE without a number, with zero or with an invalid one names no limit (RFC 1870 3)', () => {
  for (const line of ['SIZE', 'SIZE 0', 'SIZE lots', 'SIZE -1', 'SIZE 1e3']) {
    assert.equal(ehlo(line).size, null, line)
    assert.equal(ehlo(line).sizeOffered, true, line)
  }
})

test('AUTH in both syntaxes, whose mechanisms are combined', () => {
  assert.deepEqual([...ehlo('AUTH PLAIN login').auth], ['PLAIN', 'LOGIN'])
  assert.deepEqual([...ehlo('AUTH=LOGIN PLAIN').auth], ['LOGIN', 'PLAIN'])
  assert.deepEqual([...ehlo('AUTH=LOGIN', 'AUTH CRAM-MD5  PLAIN').auth], ['LOGIN', 'CRAM-MD5', 'PLAIN'])
})

test('MAIL has only parameters that the server understands and the message needs', () => {
  const plain = { chunks: [], size: 123, eightBit: false, smtpUtf8: false }
  const rich = ehlo('SIZE', '8BITMIME', 'SMTPUTF8')
  assert.equal(mailCommand({ sender: 'a@x.test' }, plain, noExtensions, false), 'MAIL FROM:<a@x.test>')
  assert.equal(mailCommand({ sender: '' }, plain, rich, false), 'MAIL FROM:<> SIZE=123')
  assert.equal(
    mailCommand({ sender: 'a@x.test' }, { ...plain, eightBit: true }, rich, false),
    'MAIL FROM:<a@x.test> SIZE=123 BODY=8BITMIME',
  )
  assert.equal(
    mailCommand({ sender: 'ä@x.test' }, { ...plain, smtpUtf8: true }, rich, true),
    'MAIL FROM:<ä@x.test> SIZE=123 BODY=8BITMIME SMTPUTF8',
  )
  // RFC 3461 4.3, 4.4.
  const named = { sender: 'a@x.test', envelopeId: () => 'b7' }
  assert.equal(mailCommand(named, plain, rich, false), 'MAIL FROM:<a@x.test> SIZE=123')
  assert.equal(mailCommand(named, plain, ehlo('DSN'), false), 'MAIL FROM:<a@x.test> RET=HDRS ENVID=b7')
  assert.equal(mailCommand({ sender: 'a@x.test' }, plain, ehlo('DSN'), false), 'MAIL FROM:<a@x.test>')
})

test('addresses that end the path early, or contain a line end, are not sendable', () => {
  for (const address of [
    'a@x.test',
    '"a b>"@x.test',
    '"a\\"b"@x.test',
    'ü@x.test',
    'a+b@[192.0.2.1]',
    "o'hara@x.test",
  ]) {
    assert.equal(isSendable(address), true, address)
  }
  for (const address of [
    '',
    'a',
    '@x.test',
    'a@',
    'a@x.test> SIZE=1',
    'a@x.test>\r\nRCPT TO:<b@x.test',
    'a\r\nb@x.test',
    'a b@x.test',
    '"a\r\n"@x.test',
    '"a"b"@x.test',
    'a@x.test\n',
    'a@x\0.test',
    'a@b@x.test',
    '\ud800@x.test',
  ]) {
    assert.equal(isSendable(address), false, JSON.stringify(address))
  }
})
