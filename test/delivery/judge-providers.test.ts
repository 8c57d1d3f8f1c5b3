/** Replies of large receivers and relay providers, word for word from logs, and the findings that must follow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../../src/delivery/judge/finding.ts'
import { judge, type RouteKind } from '../../src/delivery/judge/judge.ts'
import type { Stage } from '../../src/delivery/smtp/error.ts'

type Row = [finding: Finding, reply: string]

function hold(stage: Stage, rows: Row[], route: RouteKind = 'direct') {
  for (const [finding, reply] of rows) {
    const [, code, words] = /^(\d{3})[- ](.*)$/.exec(reply)!
    const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(words!)?.[0]
    const answer = { stage, code: Number(code), words: words!, ...(enhancedCode && { enhancedCode }) }
    assert.equal(judge(answer, route), finding, `${route}, ${stage}: ${reply}`)
  }
}

test('Gmail', () => {
  hold('dot', [
    [
      'busy',
      '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
    ],
    // About one sending domain: no other mail may wait for it.
    [
      'sender',
      '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your SPF domain [acme.test 35]. To protect our users from spam, mail sent from your domain has been temporarily rate limited.',
    ],
    [
      'sender',
      '421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your DKIM domain [acme.test 36]. mail sent from your domain has been temporarily rate limited.',
    ],
    [
      'sender',
      '421 4.7.30 This mail has been rate limited because DKIM does not pass. Gmail requires all large senders to authenticate with DKIM.',
    ],
    [
      'sender',
      '421 4.7.26 This mail has been rate limited because it is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
    ],
    [
      'message',
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
    ],
    [
      'message',
      "550 5.7.26 Unauthenticated email from acme.test is not accepted due to domain's DMARC policy.",
    ],
    [
      'message',
      '550 5.7.30 This mail has been blocked because DKIM does not pass. Gmail requires all large senders to authenticate with DKIM.',
    ],
    // The address of the machine, not the message.
    [
      'path',
      '550 5.7.1 [192.0.2.1 12] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address. To best protect our users from spam, the message has been blocked.',
    ],
    [
      'path',
      '421 4.7.0 [192.0.2.1 12] Our system has detected that this message is suspicious due to the nature of the content or the low reputation of the sending IP address. blocked',
    ],
    [
      'message',
      '550 5.7.1 [192.0.2.1 19] Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain. To best protect our users from spam, the message has been blocked.',
    ],
  ])
  hold('rcpt', [
    [
      'recipient',
      "552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm",
    ],
    [
      'mailbox',
      "452 4.2.2 The recipient's inbox is out of storage space. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp",
    ],
  ])
})

test('Outlook.com and Exchange Online', () => {
  hold('rcpt', [
    ['busy', '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)'],
    [
      'busy',
      '451 4.7.652 The mail server [192.0.2.1] has exceeded the maximum number of connections. For e-mail delivery information see https://postmaster.live.com',
    ],
    [
      'path',
      '550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message to delist@messaging.microsoft.com.',
    ],
    ['path', '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP. AS(7230)'],
    // A group that takes no mail from outside, an address that may not be written to: not about our account.
    [
      'recipient',
      '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group',
    ],
    ['recipient', '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required'],
    ['recipient', '550 5.7.129 RESOLVER.RST.RestrictedToRecipientsPermission; not authorized'],
  ])
  hold('dot', [
    [
      'message',
      '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group',
    ],
    [
      'message',
      "550 5.7.515 Access denied, sending domain ACME.TEST doesn't meet the required authentication level.",
    ],
    // As a relay, about the account.
    [
      'busy',
      '550 5.1.90 Your message cannot be sent because you have reached your daily limit for message recipients',
    ],
    ['sender', '550 5.1.8 Access denied, bad outbound sender AS(42003)'],
    [
      'busy',
      '550 5.2.2 Submission quota exceeded; STOREDRV.Submission.Exception:SubmissionQuotaExceededException',
    ],
    [
      'busy',
      '432 4.3.2 Concurrent connections limit exceeded. Visit https://aka.ms/concurrent_sending for more information.',
    ],
  ])
  hold('mail', [
    [
      'busy',
      "421 RP-001 (COL004-MC1F31) Unfortunately, some messages from 192.0.2.1 weren't sent. Please try again. We have limits for how many messages can be sent per hour and per day.",
    ],
  ])
})

test('Yahoo and AOL', () => {
  hold('mail', [
    [
      'busy',
      '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
    ],
    [
      'path',
      '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes',
    ],
    [
      'path',
      '421 4.7.1 [TS03] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed. See http://postmaster.yahoo.com/421-ts03.html',
    ],
    [
      'path',
      "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list; see http://postmaster.yahoo.com/550-bl23.html",
    ],
  ])
})

test('providers in Germany, France, Russia and China', () => {
  hold('greeting', [
    [
      'path',
      '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tobr@rx.t-online.de to clarify.) (BL)',
    ],
    [
      'path',
      '554-web.de (mxweb111) Nemesis ESMTP Service not available 554-No SMTP service 554-IP address is block listed.',
    ],
    [
      'busy',
      '421 mwinf5c29 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]',
    ],
    [
      'busy',
      '550 Ip frequency limited [hash IP: 192.0.2.1]. http://service.mail.qq.com/cgi-bin/help?subtype=1',
    ],
  ])
  hold('mail', [
    [
      'busy',
      '421 4.7.1 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR005_105',
    ],
    [
      'path',
      '550 5.7.1 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]',
    ],
    ['busy', '421 Too many spams from your IP (192.0.2.1), please visit http://postmaster.free.fr/'],
    ['busy', '450 MI:CEL 163 smtp9,8kqCgD3P please see http://mail.163.com/help/help_spam_16.htm'],
    ['busy', '451 Try again later; ratelimited'],
    ['busy', '421 4.1.0 192.0.2.1 Throttled - try again later.'],
  ])
  hold('rcpt', [
    ['busy', '550 Connection frequency limited. http://service.mail.qq.com/cgi-bin/help?subtype=1'],
    ['sender', '550 Domain frequency limited [hash]. http://service.mail.qq.com/'],
    ['dead-address', '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022'],
    ['mailbox', '452 Mailbox space not enough. http://service.mail.qq.com'],
    ['dead-address', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)'],
    ['sender', "550 sorry, can't find a valid MX for sender domain (#5.1.8 - chkuser)"],
    [
      'dead-address',
      '550 Message was not accepted -- invalid mailbox. Local mailbox jane@mail.ru is unavailable: user not found',
    ],
  ])
})

test('refusals of our own address, in various words', () => {
  hold('rcpt', [
    ['path', '553 5.7.1 Your IP 192.0.2.1 has been blocked'],
    ['path', '550 5.7.1 192.0.2.1 has been blocked by abuse policy'],
    ['path', '550 5.7.1 Your access to submit messages to this e-mail system has been rejected.'],
    ['path', '554 5.7.1 Message blocked due to sending IP address reputation'],
  ])
})

test('a limit on one sender is not a limit of the relay: mail of other companies continues', () => {
  for (const route of ['direct', 'relay'] as const) {
    hold(
      'rcpt',
      [
        // cPanel
        [
          'sender',
          '450 Domain acme.test has exceeded the max emails per hour (500/500 (100%)) allowed. Message will be reattempted later',
        ],
        [
          'sender',
          '550 Domain acme.test has exceeded the max defers and failures per hour (5/5 (100%)) allowed. Message discarded.',
        ],
        // policyd, cluebringer
        ['sender', '450 4.7.1 <news@acme.test>: Sender address rejected: Sending rate limit exceeded'],
        ['sender', '451 4.7.1 Sender rate limit exceeded'],
      ],
      route,
    )
  }
  hold('rcpt', [
    // About the machine or the account: it concerns all mail.
    ['busy', '550 5.4.5 Daily user sending limit exceeded.'],
    ['busy', '450 4.7.1 Error: too much mail from 192.0.2.1'],
  ])
})

test('quoted words of another server are not about us', () => {
  // Any stranger can have a domain whose server says such things; a relay that verifies addresses quotes it.
  for (const route of ['direct', 'relay'] as const) {
    hold(
      'rcpt',
      [
        [
          'patience',
          '450 4.1.1 <jane@x.test>: Recipient address rejected: unverified address: host mx.x.test[192.0.2.9] said: 421 4.7.0 too many connections from 192.0.2.1 (in reply to RCPT TO command)',
        ],
        [
          'recipient',
          '550 5.1.1 <jane@x.test>: Recipient address rejected: undeliverable address: host mx.x.test[192.0.2.9] said: 550 5.7.1 relaying denied (in reply to RCPT TO command)',
        ],
        [
          'recipient',
          '550 <jane@x.test>: Recipient address rejected: undeliverable address: host mx.x.test[192.0.2.9] said: 530 5.7.1 authentication required (in reply to RCPT TO command)',
        ],
        [
          'patience',
          '451 4.4.0 Primary target IP address responded with: 421 4.7.0 Server busy, too many connections',
        ],
      ],
      route,
    )
  }
})

test('words about credentials after MAIL close the path only for the sender, because they may be from the recipient’s server', () => {
  const replies = ['530 5.7.0 authentication required', '550 authentication required']
  for (const reply of replies) {
    hold('mail', [['credentials', reply]], 'relay')
    for (const stage of ['rcpt', 'data', 'dot'] as const) hold(stage, [['path', reply]], 'relay')
  }
})

test('a relay’s refusal of a sender is about our sender, and says nothing about the recipient', () => {
  const rows: Row[] = [
    ['sender', '550 5.1.0 <news@acme.test> sender rejected'],
    ['sender', '554 5.7.1 <news@acme.test>: Sender address rejected: Access denied'],
    ['sender', '550 5.7.1 Your account has been suspended'],
  ]
  hold('mail', rows, 'relay')
  hold('dot', [['sender', '554 Message rejected: Sending suspended for this account.']], 'relay')
  hold('mail', [['message', '501 5.1.7 Bad sender address syntax']], 'relay')
  hold('mail', [['message', '552 5.2.3 no']], 'relay')
  hold('mail', [['message', '550 5.7.1 sender not welcome']], 'direct')
  // A reply of a domain's own server to MAIL is a policy of its own.
  hold(
    'rcpt',
    [['recipient', '554 5.7.1 <news@acme.test>: Sender address rejected: Access denied']],
    'direct',
  )
})

test('Postfix, Exim, Sendmail and qmail that lack a resource for now', () => {
  hold('rcpt', [
    ['patience', '450 4.1.2 <jane@x.test>: Recipient address rejected: Domain not found'],
    ['patience', '451 4.3.0 <jane@x.test>: Temporary lookup failure'],
    ['patience', '451 Could not complete recipient verify callout'],
    ['sender', '451 Could not complete sender verify callout'],
    ['sender', '450 4.1.8 <news@acme.test>: Sender address rejected: Domain not found'],
    ['sender', '550 Too many unrouteable sender addresses'],
    ['path', '451 4.7.1 Relaying temporarily denied. Cannot resolve PTR record for 192.0.2.1'],
    ['mailbox', "452 sorry, recipient's mailbox is full (#4.2.2)"],
    ['patience', '451 qq temporary problem (#4.3.0)'],
    ['server', '421 4.4.2 mx.x.test Error: timeout exceeded'],
  ])
  hold('mail', [
    ['server', '452 4.3.1 Insufficient system storage'],
    ['server', '452 4.4.5 Insufficient disk space; try again later'],
    ['sender', '501 5.1.8 Domain of sender address news@acme.test does not exist'],
  ])
})
