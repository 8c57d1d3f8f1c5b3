import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONSEQUENCES, FINDING_PRECEDENCE, type Finding } from '../../src/delivery/judge/finding.ts'
import { judge, type NegativeAnswer, type RouteKind } from '../../src/delivery/judge/judge.ts'
import type { SmtpErrorKind, Stage } from '../../src/delivery/smtp/error.ts'
import * as phrases from '../../src/mail/reply/phrases.ts'

/** A reply as a server sends it, all lines on one: `550 5.1.1 <x@y.test>: User unknown`. */
function answer(stage: Stage, reply: string): NegativeAnswer {
  const [, code, words] = /^(\d{3}) (.*)$/.exec(reply)!
  const enhanced = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(words!)?.[0]
  return {
    stage,
    code: Number(code),
    ...(enhanced !== undefined && { enhancedCode: enhanced }),
    words: words!,
  }
}

type Row = [finding: Finding, reply: string]

function hold(stage: Stage, rows: Row[], route: RouteKind = 'direct') {
  for (const [finding, reply] of rows)
    assert.equal(judge(answer(stage, reply), route), finding, `${stage}: ${reply}`)
}

test('an address is dead when the server says so, by code or by words', () => {
  hold('rcpt', [
    // Postfix
    [
      'dead-address',
      '550 5.1.1 <gone@x.test>: Recipient address rejected: User unknown in local recipient table',
    ],
    [
      'dead-address',
      '550 5.1.1 <gone@x.test>: Recipient address rejected: User unknown in virtual mailbox table',
    ],
    ['dead-address', '550 5.1.1 <gone@x.test>: Recipient address rejected: Undeliverable address'],
    // Exim
    ['dead-address', '550 Unknown user'],
    ['dead-address', '550 No such user here'],
    ['dead-address', '550 No Such User Here"'],
    // Gmail
    [
      'dead-address',
      '550 5.1.1 The email account that you tried to reach does not exist. Please try 5.1.1 double-checking the recipient',
    ],
    // Microsoft
    ['dead-address', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
    ['dead-address', '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). no such user'],
    // Yahoo
    [
      'dead-address',
      "554 delivery error: dd This user doesn't have a yahoo.com account (gone@yahoo.com) [0]",
    ],
    ['dead-address', '552 5.1.1 gone@yahoo.com user not found'],
    // Sendmail, qmail, chasquid, Zimbra, OpenSMTPD with a table
    ['dead-address', '550 5.1.1 <gone@x.test>... User unknown'],
    ['dead-address', '550 sorry, no mailbox here by that name (#5.1.1)'],
    ['dead-address', '550 5.1.1 Destination address is unknown (user does not exist)'],
    ['dead-address', '553 5.1.3 Invalid address syntax'],
    ['dead-address', '550 5.1.2 <x@x.test>: Recipient address rejected: Domain not found'],
    ['dead-address', '556 5.1.10 Domain does not accept mail'],
    // Words that are in the list of reasons only, and codes beside the usual one
    ['dead-address', '550 Requested action not taken: mailbox unavailable'],
    ['dead-address', '550 Invalid recipient'],
    ['dead-address', '550 Benutzer unbekannt'],
    ['dead-address', '550 5.7.1 user unknown'],
    ['dead-address', '550 5.1.6 Recipient no longer on server'],
    ['dead-address', '550 5.1.0 Address rejected'],
    // Other words may follow.
    ['dead-address', '550 5.1.1 User unknown (rate limit applies to repeated attempts)'],
    ['dead-address', '550 5.1.1 Mailbox does not exist, listed in our spamtrap list'],
  ])
})

test('without such a code or words a recipient is refused, and its address is not dead', () => {
  hold('rcpt', [
    ['recipient', '550 no'],
    ['recipient', '550 5.7.1 Requested action not taken: mailbox unavailable'],
    ['recipient', '551 not here'],
    ['recipient', '553 sorry'],
    [
      'recipient',
      '550 5.4.1 Recipient address rejected: Access denied. [AM5EUR02FT019.eop-EUR02.prod.protection.outlook.com]',
    ],
    ['recipient', '550 5.2.1 The email account that you tried to reach is disabled.'],
    // The recipient's account; after MAIL it would be ours.
    ['recipient', '550 5.2.1 This account is disabled'],
    ['recipient', '550 This account has been suspended'],
    ['recipient', '554 5.7.1 account was permanently closed'],
    ['recipient', '550 5.2.2 mailbox full'],
    ['recipient', '552 5.2.2 The email account that you tried to reach is over quota'],
    ['recipient', '550 5.7.1 <x@x.test>: Recipient address rejected: Access denied'],
    ['recipient', '550 5.1.1 <x@x.test> - 192.0.2.1 has sent to too many recipients this hour.'],
    ['recipient', '550 User unknown (in reply to MAIL FROM command)'],
    ['recipient', '550 5.1.1 Sender verification: no such user'],
    ['recipient', '550 Host unknown'],
    ['recipient', '550 Service no longer available'],
    ['recipient', '521 no'],
    ['recipient', '550 5.7.1 Blacklisted by recipient'],
    ['recipient', '554 5.7.105 SenderFilterConfig'],
  ])
})

test('at a relay only a code makes an address dead', () => {
  hold(
    'rcpt',
    [
      [
        'dead-address',
        '550 5.1.1 <gone@x.test>: Recipient address rejected: User unknown in local recipient table',
      ],
      ['recipient', '550 Unknown user'],
      ['recipient', '550 no such user'],
      ['recipient', '550 Unrouteable address'],
      ['recipient', '550 Benutzer unbekannt'],
      ['recipient', '550 5.7.1 user unknown'],
      ['recipient', '550 5.1.1 <x@x.test> - 192.0.2.1 has sent to too many recipients this hour.'],
      ['recipient', '550 5.1.1 Mailbox does not exist, listed in our spamtrap list'],
      ['recipient', '550 5.1.1 User unknown; see http://www.spamhaus.org/'],
      ['busy', '550 5.1.1 User unknown (rate limit applies to repeated attempts)'],
      ['path', '550 relay not permitted'],
      ['path', '550 authentication required'],
      ['path', '550 5.1.1 Relay not permitted'],
      ['path', '550 5.1.1 relaying denied'],
    ],
    'relay',
  )
})

test('words about us are not about the recipient, whatever the code', () => {
  hold('rcpt', [
    ['path', '550 relay not permitted'],
    ['path', '554 5.7.1 <jane@x.test>: Relay access denied'],
    ['path', '454 4.7.1 <jane@x.test>: Relay access denied'],
    ['path', '550 5.7.1 Relaying denied'],
    ['path', '550 5.7.1 Unable to relay'],
    ['path', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain'],
    ['path', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
    ['path', '503 5.7.1 Relay not allowed'],
    ['path', '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname'],
    ['path', '450 4.7.1 <out.acme.test>: Helo command rejected: Host not found'],
    ['path', '550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)'],
    ['path', '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]'],
    ['path', '550 5.7.25 The IP address sending this message does not have a PTR record setup'],
    ['path', '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org'],
    [
      'path',
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    ],
    ['path', '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL.'],
    [
      'path',
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
    ],
    [
      'path',
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
    ],
    [
      'path',
      "554 mx1.x.test Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
    ],
    ['path', '550 csi.mimecast.org Poor Reputation Sender.'],
    ['path', '554 5.7.1 SORBS DNSBL Entry'],
    ['path', '553 5.3.0 <jane@x.test>... Spam blocked see: http://spamcop.net/bl.shtml?192.0.2.1'],
    ['path', '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1'],
    ['path', '530 5.7.0 Must issue a STARTTLS command first'],
    ['path', '530 5.7.1 Authentication required'],
    ['path', '550 authentication required'],
    ['path', '550 5.7.9 Mail to submission port must be authenticated'],
    ['path', '535 5.7.8 Error: authentication failed'],
    ['path', '530 5.7.57 Client not authenticated to send mail.'],
    ['sender', '553 5.7.1 <news@acme.test>: Sender address rejected: not owned by user bob'],
    ['sender', '550 5.1.8 <news@acme.test>: Sender address rejected: Domain not found'],
    ['sender', '550 5.1.0 <news@acme.test>: Sender address rejected: User unknown in local recipient table'],
    ['sender', '550 Sender verify failed'],
    [
      'sender',
      '550 Verification failed for <news@acme.test> No such person at this address Sender verify failed',
    ],
    ['sender', '553 5.1.8 <news@acme.test>... Domain of sender address news@acme.test does not exist'],
  ])
  hold('dot', [
    [
      'sender',
      '554 Message rejected: Email address is not verified. The following identities failed the check in region US-EAST-1: news@acme.test',
    ],
    ['sender', '554 5.2.252 SendAsDenied; news@acme.test not allowed to send as other@acme.test'],
    ['sender', '550 5.7.60 SMTP; Client does not have permissions to send as this sender'],
    [
      'path',
      '550 5.7.1 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address. blocked',
    ],
  ])
})

test('a block of our address bounces nobody, whatever its words', () => {
  hold('mail', [
    ['path', "571 Email from 192.0.2.1 is currently blocked by Verizon Online's anti-spam system."],
    ['path', '550 Blocked for abuse. See http://att.net/blocks'],
    ['path', '550 Connection refused from your IP due to poor sender score'],
    [
      'path',
      '550 5.7.1 Service refuse. Veuillez essayer plus tard. Service refused, please try later. LPN007_510',
    ],
    ['path', '554 5.7.1 Bad EHLO'],
  ])
  for (const stage of ['mail', 'rcpt', 'data'] as const) {
    hold(stage, [
      ['path', '554 mx.x.test 192.0.2.1 blocked. AUP#In-1310'],
      ['path', '550 5.7.1 Mail from 192.0.2.1 refused'],
      ['path', '550 5.7.1 Mail from [2001:db8::1] refused'],
    ])
  }
})

test('the words of somebody else close no path: of the message, of an address, of another server', () => {
  // What a server says of a message may repeat the message.
  hold('dot', [['message', '550 5.7.1 Mail from 192.0.2.1 refused']])
  hold('rcpt', [
    ['recipient', '550 5.7.1 Blocked for abuse'],
    ['recipient', '550 5.7.1 jane@[192.0.2.9] blocked for abuse'],
    ['recipient', '550 5.7.1 <jane@[192.0.2.9]> blocked for abuse'],
    ['recipient', '550 5.7.1 host mx.x.test[192.0.2.9] said: 550 Mail from 192.0.2.1 refused'],
    ['recipient', '550 5.7.1 jane does not want this, see http://x.test/?ip=192.0.2.1'],
    ['patience', '450 4.7.1 Mail from 192.0.2.1 refused'],
  ])
  hold('mail', [['message', '550 5.7.1 The reputation of your sending domain is unknown']])
})

test('before MAIL a refusal is about the server or about us', () => {
  for (const stage of ['greeting', 'ehlo'] as const) {
    hold(stage, [
      ['path', '554 5.7.1 no service for you'],
      ['path', '550 5.1.1 user unknown'],
      ['path', '521 5.3.2 host does not accept mail'],
      ['path', '504 5.5.2 <localhost>: need fully-qualified hostname'],
      ['path', '421 4.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org'],
      ['busy', '421 4.7.0 mx.x.test Error: too many connections from 192.0.2.1'],
      ['busy', '554 too many connections'],
      ['busy', '421 mx.x.test: Too many concurrent SMTP connections; please try again later'],
      ['server', '421 4.3.2 Service not available'],
      ['server', '450 4.3.2 Service currently unavailable'],
    ])
  }
  hold('auth', [
    ['credentials', '535 5.7.8 Authentication failed'],
    ['credentials', '534 5.7.9 Please log in with your web browser'],
    ['credentials', '550 5.7.1 no'],
    ['credentials', '504 5.5.4 Unrecognized authentication type'],
    ['server', '454 4.7.0 Temporary authentication failure'],
    ['busy', '454 4.7.0 Too many login attempts, please try again later. rate limit'],
  ])
})

test('too many of our connections or messages', () => {
  hold('rcpt', [
    ['busy', '450 4.7.1 Error: too much mail from 192.0.2.1'],
    ['busy', '450 4.7.1 Error: too many recipients from 192.0.2.1'],
    [
      'busy',
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    ],
    ['busy', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS77712104)'],
    [
      'busy',
      '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.',
    ],
    [
      'busy',
      '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address',
    ],
    ['busy', '550 5.4.5 Daily user sending limit exceeded.'],
    ['busy', '452 Too many messages sent'],
    ['busy', '421 too many messages in this connection'],
  ])
  hold('mail', [
    ['busy', '421 4.3.2 Connection rate limit exceeded.'],
    ['busy', '421 4.3.2 Too many open connections.'],
    ['busy', '452 4.3.2 Too many concurrent connections'],
    ['server', '452 4.3.1 Insufficient system storage'],
    ['server', '451 4.3.0 not now'],
  ])
})

test('a temporary refusal in ordinary words for too much mail, or with the time of the next try, asks for less', () => {
  const replies = [
    '450 4.7.1 Rate exceeded, try again in 60 seconds',
    '450 4.7.1 Message rate exceeded, slow down',
    '450 4.7.1 max rate exceeded for 192.0.2.1',
    '451 4.7.1 Sending rate exceeded',
    '421 The number of SMTP sessions was exceeded',
    '451 You are sending too quickly',
    '421 4.7.0 Overloaded, please slow down',
    '450 4.7.1 Please try again in 60 seconds',
    '450 Try again in 120 seconds',
    '451 4.7.1 Please retry after 5 minutes',
  ]
  for (const stage of ['greeting', 'mail', 'rcpt', 'data', 'dot'] as const) {
    hold(
      stage,
      replies.map((reply) => ['busy', reply]),
    )
  }
  hold('rcpt', [
    ['patience', '450 4.2.0 <jane@x.test>: Recipient address rejected: Greylisted for 300 seconds'],
    ['patience', '451 4.7.1 Greylisting in action, please try again in 300 seconds'],
    ['patience', '451 4.7.1 Please try again later'],
    // The mailbox, an address that is being checked, and the server's own faults.
    ['mailbox', '450 4.2.1 The user is receiving mail too quickly, try again in 60 seconds'],
    ['mailbox', '452 4.2.2 Mailbox full, try again in 60 seconds'],
    ['patience', '450 4.1.1 unverified address: verification in progress, try again in 60 seconds'],
    ['patience', '451 4.3.0 Temporary lookup failure, try again in 60 seconds'],
    ['patience', '452 4.3.1 Insufficient system storage, try again in 60 seconds'],
    ['crowded', '452 Too many recipients, try again in 60 seconds'],
    // A server that quotes another one says nothing about this service.
    ['patience', '451 4.4.0 host mx.x.test[192.0.2.9] said: 450 Rate exceeded, try again in 60 seconds'],
    ['path', '450 4.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org, retry in 60 seconds'],
    ['recipient', '550 5.7.1 Rate exceeded'],
  ])
  hold('dot', [['patience', '452 4.5.3 Too many recipients']])
})

test('too many recipients in one transaction', () => {
  hold('rcpt', [
    ['crowded', '452 4.5.3 Error: too many recipients'],
    ['crowded', '452 too many recipients'],
    ['crowded', '451 4.5.3 mx Too many recipients: Too many recipients'],
    ['crowded', '452 4.5.3 Too many recipients'],
  ])
})

test('temporary refusals, and refusals that concern only the mailbox', () => {
  hold('rcpt', [
    [
      'patience',
      '450 4.2.0 <jane@x.test>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/x.test.html',
    ],
    ['patience', '451 4.7.1 Greylisting in action, please come back later'],
    [
      'patience',
      '421 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using grey.rbl - Greylisting in action, please try again later',
    ],
    ['patience', '450 4.7.1 try again later'],
    ['patience', '451 Temporary local problem - please try later'],
    [
      'patience',
      '450 4.1.1 <jane@x.test>: Recipient address rejected: unverified address: Address verification in progress',
    ],
    ['mailbox', '452 4.2.2 The email account that you tried to reach is over quota'],
    [
      'mailbox',
      '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
    ],
    ['mailbox', '432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded'],
    ['server', '421 4.3.2 closing'],
    ['server', '550 5.3.2 Service currently unavailable'],
    ['server', '503 5.5.1 Error: need MAIL command'],
  ])
  hold('data', [['patience', '451 4.3.0 later']])
  hold('dot', [['patience', '451 4.7.1 spam score too high for now']])
})

test('a limit of the mailbox, on the size or on hops says nothing about how much we send', () => {
  hold('rcpt', [
    ['mailbox', '452 4.2.2 The recipient mailbox has exceeded its storage limit'],
    ['mailbox', '450 The mailbox has exceeded its storage limit'],
    ['crowded', '452 4.5.3 recipient limit exceeded'],
    ['recipient', '552 5.2.2 This account has exceeded its limit'],
    ['unsuited', '552 5.3.4 Message size limit exceeded'],
    ['busy', '451 4.7.1 You have exceeded your hourly limit'],
  ])
  hold('dot', [
    ['message', '554 5.4.6 Hop count exceeded limit'],
    ['unsuited', '552 Message size limit exceeded'],
  ])
})

test('words about links, files and senders on lists are not about our address', () => {
  hold('dot', [
    ['message', '554 5.7.1 This email contains an URL that is listed on the Spamhaus DBL'],
    ['message', '554 5.7.1 rejected by server: attachment type blocked'],
    // The reputation of one sending domain closes no path, which others use as well.
    [
      'message',
      '550 5.7.1 This message is likely suspicious due to the very low reputation of the sending domain.',
    ],
  ])
  hold('rcpt', [
    ['sender', '554 5.7.1 Service unavailable; Sender address [a@acme.test] blocked using dbl.spamhaus.org'],
    ['recipient', '550 5.7.1 You are not allowed to send to this recipient'],
    ['recipient', '550 The account or domain may not exist, they may be blacklisted'],
    ['dead-address', '550 5.1.1 User unknown; see https://help.x.test/faq/blacklist'],
  ])
})

test('refusals of the message or its domain', () => {
  hold('dot', [
    ['message', '554 5.6.0 spam'],
    ['message', '550 This message contains a virus (Eicar-Test-Signature).'],
    [
      'message',
      '552 5.7.0 This message was blocked because its content presents a potential security issue.',
    ],
    [
      'message',
      '550 5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail. blocked',
    ],
    ['message', '554 5.7.1 This message contains a URL listed in dbl.spamhaus.org'],
    ['message', '550 5.7.26 This mail has been blocked because the sender is unauthenticated.'],
    [
      'message',
      "550 5.7.1 Unauthenticated email from acme.test is not accepted due to domain's DMARC policy.",
    ],
    ['message', '554 5.7.9 Message not accepted for policy reasons'],
    ['message', '550 5.7.23 SPF check failed: matched -all'],
    ['message', '550 5.1.1 user unknown'],
    ['unsuited', '552 5.3.4 Message size exceeds fixed limit'],
    ['unsuited', '552 Message size exceeds maximum permitted'],
  ])
  hold('mail', [
    ['message', '550 5.7.1 sender not welcome'],
    ['unsuited', '553 5.6.7 Must declare SMTPUTF8 to send unicode address'],
    ['unsuited', '555 5.5.4 Unsupported option: BODY=8BITMIME'],
  ])
})

test('addresses in a reply do not count as words', () => {
  hold('rcpt', [
    ['dead-address', '550 5.1.1 <relay-access-denied@blocklist.test>: User unknown'],
    ['dead-address', '550 5.1.1 too.many.connections.rate-limit@x.test: user unknown'],
    ['recipient', '550 <user.unknown@x.test> refused'],
  ])
})

test('failures without a reply', () => {
  const without = (stage: Stage, kind: SmtpErrorKind) => judge({ stage, kind, words: '' }, 'direct')
  assert.equal(without('greeting', 'closed'), 'busy')
  assert.equal(without('greeting', 'timeout'), 'server')
  assert.equal(without('connect', 'connect'), 'server')
  assert.equal(without('ehlo', 'closed'), 'server')
  assert.equal(without('rcpt', 'closed'), 'server')
  assert.equal(without('auth', 'auth'), 'credentials')
  assert.equal(without('starttls', 'tls'), 'server')
  assert.equal(judge({ stage: 'starttls', kind: 'tls', words: '' }, 'relay'), 'path')
})

test('every finding has consequences and a place in the order, and only a dead address is suppressed', () => {
  assert.deepEqual([...FINDING_PRECEDENCE].sort(), Object.keys(CONSEQUENCES).sort())
  for (const [finding, { ends, suppresses, spends }] of Object.entries(CONSEQUENCES)) {
    assert.equal(suppresses, finding === 'dead-address')
    assert.ok(!ends || spends, `${finding} ends what it does not count`)
  }
})

test('no pattern is slow on the longest reply, whatever its content', () => {
  // A pattern that is not linear needs seconds for these; together they take a few milliseconds.
  const pieces = [
    'a ',
    'ip ',
    'too many ',
    'exceeded a ',
    'message ',
    'sender ',
    '<',
    'x@',
    ' \t',
    'mailbox storage ',
  ]
  for (const piece of pieces) {
    const words = piece.repeat(Math.ceil((64 * 1024) / piece.length))
    for (const route of ['direct', 'relay'] as const) judge({ stage: 'rcpt', code: 550, words }, route)
    for (const topic of Object.values(phrases)) {
      for (const pattern of topic) {
        assert.ok(!pattern.global && !pattern.sticky, `${pattern} has a memory`)
        assert.doesNotMatch(pattern.source, /\([^()]*[+*][^()]*\)[+*]/, `${pattern} repeats a repetition`)
        pattern.test(words.slice(0, 1_000))
      }
    }
  }
})
