/** Reports that came to no return path: believed only from the server that took the email. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bounce } from '../../harness/returned-mail.ts'
import type { InboundArrival } from '../../src/email/inbound-mail.ts'
import type { ReceivedMail } from '../../src/inbound/arrived-mail.ts'
import type { KeyLookup } from '../../src/inbound/mail-signatures.ts'
import { MAX_FAILED, MAX_UNANSWERED } from '../../src/inbound/proof-places.ts'
import { mailReceiver } from '../../src/inbound/receive-mail.ts'
import type { SignatureCheck } from '../../src/inbound/verify-job.ts'
import { ReturnPathKey } from '../../src/mail/return-path/return-path.ts'
import type { ReportedEmail } from '../../src/store/store.ts'
import { jobAt } from '../../src/workers/job.ts'
import { SMALL, Workers } from '../../src/workers/workers.ts'
import { KEY, KEY_RECORD, signed } from './signed.ts'

const VERIFY = jobAt<SignatureCheck, string[]>(new URL('../../src/inbound/verify-job.ts', import.meta.url))
const NOTHING: SignatureCheck = { raw: Buffer.from(''), keys: new Map(), covering: [] }
const ID = '0193a1b2-0000-7000-8000-000000000000'
const MESSAGE_ID = `<${ID}@acme.example>`
/** The fields that Google signs. */
const HEADER = 'From:To:Subject:Message-ID:Date'

/** An email to one recipient, taken by this server. */
function emailAt(server: string, address: string): ReportedEmail {
  return {
    ...{
      id: ID,
      keyId: 'k',
      companyId: 'c',
      messageId: MESSAGE_ID,
      sender: 'news@acme.example',
      size: 1,
      reports: 0,
    },
    recipients: [{ position: 0, address, server, unsettled: false }],
  }
}

interface Arrival {
  peer?: string
  /** MAIL FROM of the transaction; null: unknown. */
  reversePath?: string | null
  /** Domains whose key is in DNS, with these records. */
  published?: string[]
  records?: string[]
  workers?: Workers | null
  /** The company that handed it in. */
  companyId?: string
}

/** The outcome of a mail, whose characters are octets. */
async function outcomeOf(
  email: ReportedEmail,
  mail: string,
  {
    peer = '203.0.113.9',
    reversePath = '',
    published = [],
    records = [KEY_RECORD],
    workers = null,
    companyId,
  }: Arrival = {},
): Promise<string> {
  const receive = mailReceiver({
    store: {
      reportedEmails: async (named) => named.map(({ id }) => (id === email.id ? email : null)),
      emailWithMessageId: async () => null,
      keepInboundMails: async (arrivals: readonly InboundArrival[]) =>
        arrivals.map(({ mail: { id, refused } }) => ({ id, outcome: refused ?? 'recorded', events: 1 })),
    },
    returnPathKey: new ReturnPathKey(Buffer.alloc(32, 7)),
    keys: async (name) => {
      const known = published.some((domain) => name === `s._domainkey.${domain}`)
      return known ? { kind: 'found', records } : { kind: 'absent' }
    },
    domainReports: null,
    fullMailbox: null,
    workers,
    now: () => Date.now(),
  })
  const raw = Buffer.from(mail, 'latin1')
  const source =
    companyId === undefined ? { source: 'smtp' as const } : { source: 'http' as const, companyId }
  const transaction = reversePath === null ? {} : { reversePath }
  const { outcome } = await receive({ raw, recipient: null, peer, ...source, ...transaction })
  return outcome
}

describe('a report without a token', () => {
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const report = (change: Partial<Parameters<typeof bounce>[0]> = {}) =>
    bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, ...change })

  const fromServer = () => report({ from: 'MAILER-DAEMON@mx.host.test' })

  const rows: [what: string, mail: () => string | Promise<string>, by: object, outcome: string][] = [
    ['straight from the server that took the email', fromServer, { peer: '198.51.100.7' }, 'recorded'],
    [
      'straight from that server, by a system of the domain of the recipient',
      () => report({ from: 'postmaster@rcpt.test' }),
      { peer: '198.51.100.7' },
      'recorded',
    ],
    [
      'straight from that server, by a system of another of its customers',
      () => report({ from: 'postmaster@evil.test' }),
      { peer: '198.51.100.7' },
      'unproven',
    ],
    [
      'straight from that server, sent by one of its users',
      fromServer,
      { peer: '198.51.100.7', reversePath: 'ben@host.test' },
      'unproven',
    ],
    [
      'straight from that server, from an unknown reverse path',
      fromServer,
      { peer: '198.51.100.7', reversePath: null },
      'unproven',
    ],
    [
      'straight from that server, to a socket for both families',
      fromServer,
      { peer: '::ffff:198.51.100.7' },
      'recorded',
    ],
    ...(
      [
        ['made there', 'by mx.host.test (Postfix) id 1; Mon, 1 Jan 2024 00:00:00 +0000', 'recorded'],
        ['passed on within that host', 'from localhost (localhost [127.0.0.1]) by mx.host.test', 'recorded'],
        ['handed in by a program there', 'from mailnull by mx.host.test with local (Exim 4.98)', 'recorded'],
        [
          'from another host of it',
          'from in.host.test (in.host.test [10.1.2.3]) by mx.host.test',
          'recorded',
        ],
        [
          'from its own address',
          'from mx.host.test (mx.host.test [198.51.100.7]) by mx.host.test',
          'recorded',
        ],
        ['that a user forwarded', 'from mx.host.test (x.test [192.0.2.66]) by mx.host.test', 'unproven'],
        ['forwarded, over IPv6', 'from x (unknown [IPv6:2a00:1450::66]) by mx.host.test', 'unproven'],
        ['forwarded, by qmail', 'from unknown (HELO localhost) (192.0.2.66) by mx.host.test', 'unproven'],
        ['forwarded, without an address', 'from mail.evil.test by mx.host.test with ESMTP', 'unproven'],
      ] as const
    ).map(([what, received, outcome]): (typeof rows)[number] => [
      `straight from that server, ${what}`,
      () => `Received: ${received}\r\n${fromServer()}`,
      { peer: '198.51.100.7' },
      outcome,
    ]),
    ['from any other address', () => report(), {}, 'unproven'],
    [
      'attached to a mail that comes straight from that server',
      () =>
        [
          'From: postmaster@rcpt.test',
          'Subject: We have received your mail',
          'Content-Type: multipart/mixed; boundary=outer',
          '',
          '--outer',
          'Content-Type: message/rfc822',
          '',
          fromServer(),
          '--outer--',
          '',
        ].join('\r\n'),
      { peer: '198.51.100.7' },
      'unproven',
    ],
    [
      'straight from that server, but written by a person',
      () => report({ from: 'ben@rcpt.test' }),
      { peer: '198.51.100.7' },
      'unproven',
    ],
    [
      'signed by the domain of the recipient',
      () => signed(report({ from: 'postmaster@rcpt.test' }), 'rcpt.test'),
      { published: ['rcpt.test'] },
      'recorded',
    ],
    [
      'signed by the domain of the server',
      () => signed(report({ from: 'mailer-daemon@host.test' }), 'host.test'),
      { published: ['host.test'] },
      'recorded',
    ],
    [
      'straight from that server, by a system of a domain below that of the recipient',
      () => report({ from: 'postmaster@customer.rcpt.test' }),
      { peer: '198.51.100.7' },
      'unproven',
    ],
    [
      'signed by a domain below that of the recipient, which may be that of a customer',
      () => signed(report({ from: 'postmaster@customer.rcpt.test' }), 'customer.rcpt.test'),
      { published: ['customer.rcpt.test'] },
      'unproven',
    ],
    [
      'signed by the domain of the server for a customer with a domain below it',
      () => signed(report({ from: 'postmaster@customer.host.test' }), 'host.test'),
      { published: ['host.test'] },
      'unproven',
    ],
    [
      'signed by the domain of the server for the server',
      () => signed(report({ from: 'MAILER-DAEMON@mx.host.test' }), 'host.test'),
      { published: ['host.test'] },
      'recorded',
    ],
    [
      'signed by the domain of the recipient for a name that users could register',
      () => signed(report({ from: 'mail-daemon@rcpt.test' }), 'rcpt.test'),
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'signed by a domain that has nothing to do with the email',
      () => signed(report({ from: 'postmaster@evil.test' }), 'evil.test'),
      { published: ['evil.test'] },
      'unproven',
    ],
    [
      'signed for another author than it has',
      () => signed(report({ from: 'postmaster@evil.test' }), 'rcpt.test'),
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'signed by a user of the domain',
      () => signed(report({ from: 'ben@rcpt.test' }), 'rcpt.test'),
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'changed after it was signed',
      async () =>
        (await signed(report({ from: 'postmaster@rcpt.test' }), 'rcpt.test')).replace('5.1.1', '5.1.2'),
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'with a signature whose key is not in DNS',
      () => signed(report({ from: 'postmaster@rcpt.test' }), 'rcpt.test'),
      {},
      'unproven',
    ],
    [
      'signed but for its Content-Type, and beginning as that says',
      () => signed(report({ from: 'postmaster@rcpt.test' }), 'rcpt.test', HEADER),
      { published: ['rcpt.test'] },
      'recorded',
    ],
    [
      'with another boundary than it was signed with, so that a part of what came back is the report',
      async () => {
        const inner = report({ from: 'postmaster@rcpt.test' })
          .replace(/"b"/, '"evil"')
          .replace(/^--b/gm, '--evil')
        const outer = report({ from: 'postmaster@rcpt.test', to: 'nobody@rcpt.test' })
        const mail = outer.replace(
          'Subject: Hello',
          `Subject: Hello\r\n\r\n${inner.split('\r\n\r\n').slice(1).join('\r\n\r\n')}`,
        )
        return (await signed(mail, 'rcpt.test', HEADER)).replace('boundary="b"', 'boundary="evil"')
      },
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'with a second Content-Type in front of the signed one',
      async () =>
        `Content-Type: multipart/report; boundary="b"\r\n${await signed(report({ from: 'postmaster@rcpt.test' }), 'rcpt.test')}`,
      { published: ['rcpt.test'] },
      'unproven',
    ],
    [
      'with the Message-ID of the email, returned by mail of another author',
      () => report({ author: 'news@evil.example' }),
      { peer: '198.51.100.7' },
      'other_email',
    ],
    ['about an email that is unknown', () => report({ messageId: '<other@acme.example>' }), {}, 'no_email'],
    [
      'that names another address than the only recipient, who forwards',
      () => report({ to: 'ben@rcpt.test', from: 'MAILER-DAEMON@mx.host.test' }),
      { peer: '198.51.100.7' },
      'recorded',
    ],
  ]
  for (const [what, mail, by, outcome] of rows) {
    test(`${what}: ${outcome}`, async () => {
      assert.equal(await outcomeOf(at, await mail(), by), outcome)
    })
  }

  test('from a server of our own network proves nothing: it may relay mail of any sender', async () => {
    for (const address of ['127.0.0.1', '10.0.0.5', 'fd00::5']) {
      const email = emailAt(`relay.acme.example [${address}]:25`, 'ann@rcpt.test')
      assert.equal(await outcomeOf(email, report(), { peer: address }), 'unproven')
    }
  })

  test('of a large mail service is signed by the domains that the service has for it', async () => {
    const email = emailAt('gmail-smtp-in.l.google.com [192.0.2.8]:25', 'ann@customer.test')
    const mail = bounce({
      to: 'ann@customer.test',
      messageId: MESSAGE_ID,
      from: 'mailer-daemon@googlemail.com',
    })
    assert.equal(
      await outcomeOf(email, await signed(mail, 'googlemail.com'), { published: ['googlemail.com'] }),
      'recorded',
    )
    assert.equal(
      await outcomeOf(at, await signed(mail, 'googlemail.com'), { published: ['googlemail.com'] }),
      'unproven',
    )
    const hosted = emailAt('customer-test.mail.protection.outlook.com [192.0.2.9]:25', 'ann@customer.test')
    const evil = 'evil.onmicrosoft.com'
    const forged = bounce({ to: 'ann@customer.test', messageId: MESSAGE_ID, from: `postmaster@${evil}` })
    assert.equal(
      await outcomeOf(hosted, await signed(forged, evil), { published: [evil] }),
      'unproven',
      'any customer of Microsoft has such a domain',
    )
  })

  test('has the name of Exchange only at a domain whose mail Exchange Online takes', async () => {
    const exchange = `MicrosoftExchange${'0123456789abcdef'.repeat(2)}`
    const outcome = async (server: string, domain: string) => {
      const mail = bounce({ to: `ann@${domain}`, messageId: MESSAGE_ID, from: `${exchange}@${domain}` })
      const email = emailAt(`${server} [192.0.2.9]:25`, `ann@${domain}`)
      return await outcomeOf(email, await signed(mail, domain), { published: [domain] })
    }
    assert.equal(await outcome('customer-test.mail.protection.outlook.com', 'customer.test'), 'recorded')
    // Anybody can register an address at these.
    assert.equal(await outcome('outlook-com.olc.protection.outlook.com', 'outlook.com'), 'unproven')
    assert.equal(await outcome('gmail-smtp-in.l.google.com', 'gmail.com'), 'unproven')
    assert.equal(await outcome('mx00.mail.test', 'mail.test'), 'unproven')
  })
})

describe('an answer of the provider that quotes a report, which any person could have written', () => {
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const by = { published: ['rcpt.test'] }
  const XARF = ['Reported-From: x@evil.test', 'Report-Type: spam', 'Original-Rcpt-To: ann@rcpt.test']
  const answer = (type: string, ...body: string[]) =>
    signed(
      [
        'From: abuse@rcpt.test',
        'Subject: [Ticket 47] We have received your mail',
        `In-Reply-To: ${MESSAGE_ID}`,
        `References: ${MESSAGE_ID}`,
        'Auto-Submitted: auto-replied',
        `Content-Type: ${type}`,
        '',
        ...body,
        '',
      ].join('\r\n'),
      'rcpt.test',
    )

  test('a complaint in its text: an automatic reply, which changes nothing', async () => {
    const thanks = ['Thank you. You wrote:', '']
    assert.equal(await outcomeOf(at, await answer('text/plain', ...thanks, ...XARF), by), 'kept')
    assert.equal(await outcomeOf(at, await answer('text/plain', ...XARF, '', 'Thank you.'), by), 'kept')
    assert.equal(await outcomeOf(at, await answer('text/plain', ...XARF), by), 'kept')
  })

  test('a bounce in its text: about no email, because only the answer names one', async () => {
    const qmail = [
      'Hi. This is the qmail-send program at rcpt.test.',
      "I'm afraid I wasn't able to deliver your message to the following addresses.",
      "This is a permanent error; I've given up. Sorry it didn't work out.",
      '',
      '<ann@rcpt.test>:',
      'Sorry, no mailbox here by that name. (#5.1.1)',
    ]
    assert.notEqual(await outcomeOf(at, await answer('text/plain', ...qmail), by), 'recorded')
    const plain = await signed(
      [
        'From: postmaster@rcpt.test',
        'Subject: [Ticket 47] failure notice',
        `In-Reply-To: ${MESSAGE_ID}`,
        '',
        ...qmail,
        '',
      ].join('\r\n'),
      'rcpt.test',
    )
    assert.equal(await outcomeOf(at, plain, by), 'no_email')
  })

  test('a complaint as a file: about no email, because only the answer names one', async () => {
    const parts = [
      ['--b', 'Content-Type: text/plain', '', 'Thank you.'],
      ['--b', 'Content-Type: text/plain; name=report.txt', '', ...XARF, '--b--'],
    ]
    const mail = await answer('multipart/mixed; boundary=b', ...parts.flat())
    assert.equal(await outcomeOf(at, mail, by), 'no_email')
  })
})

describe('a signature of the provider', () => {
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const by = { published: ['rcpt.test'] }
  const report = (from: string) => bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, from })
  const SYSTEM = 'From: MAILER-DAEMON@rcpt.test\r\n'
  const mallory = () => signed(report('mallory@rcpt.test'), 'rcpt.test')
  const daemon = () => signed(report('mailer-daemon@rcpt.test'), 'rcpt.test')

  const names = [
    'From',
    'From\x0b',
    'From\x0c',
    'From\xa0',
    'From ',
    'From\t',
    'From\r',
    '\x0bFrom',
    '\xa0From',
  ]
  for (const name of names) {
    test(`over mail of a user, with ${JSON.stringify(name)} for its From and another From: unproven`, async () => {
      const mail = (await mallory()).replace('\nFrom: ', `\n${name}: `)
      assert.match(mail, /: Mail Delivery System <mallory@/)
      assert.equal(await outcomeOf(at, SYSTEM + mail, by), 'unproven')
    })
  }

  const headers: [what: string, change: (mail: string) => string][] = [
    ['a line that is no field', (mail) => `no field\r\n${mail}`],
    ['a line that a lone CR divides', (mail) => `X: a\rb\r\n${mail}`],
    ['more octets than any report', (mail) => `${`X: ${'a'.repeat(900)}\r\n`.repeat(80)}${mail}`],
    ['more lines than any report', (mail) => `X: a\r\n${' b\r\n'.repeat(1_100)}${mail}`],
    [
      'a date that is none',
      (mail) =>
        mail.replace(
          /^/,
          `${mail.split('\r\n')[0]!.slice(0, 16)}v=1; a=rsa-sha256; d=rcpt.test; s=s; t=${'9'.repeat(20)}; h=from; bh=x; b=x\r\n`,
        ),
    ],
  ]
  for (const [what, change] of headers) {
    test(`on a header with ${what}: unproven`, async () => {
      assert.equal(await outcomeOf(at, await daemon(), by), 'recorded')
      assert.equal(await outcomeOf(at, change(await daemon()), by), 'unproven')
    })
  }

  test('behind the line of a mbox, and with lines that end in LF: recorded', async () => {
    const mail = (await daemon()).replaceAll('\r\n', '\n')
    assert.equal(await outcomeOf(at, `From MAILER-DAEMON Sat Nov 28 10:00:00 2026\n${mail}`, by), 'recorded')
  })

  test('without From among its fields: unproven', async () => {
    const mail = await signed(report('mallory@rcpt.test'), 'rcpt.test', 'Subject:Date:Content-Type')
    assert.equal(await outcomeOf(at, mail.replace('mallory@', 'mailer-daemon@'), by), 'unproven')
  })

  test('beside another of the domain that claims to cover more: unproven', async () => {
    const mail = await signed(report('mailer-daemon@rcpt.test'), 'rcpt.test', 'Subject:Date')
    const claim =
      'DKIM-Signature: v=1; a=rsa-sha256; d=rcpt.test; s=s; h=from:content-type; bh=AAAA; b=AAAA\r\n'
    assert.equal(await outcomeOf(at, claim + mail, by), 'unproven')
  })

  const records: [record: string, outcome: string][] = [
    [`v=DKIM1; k=rsa; s=email; h=sha1:sha256; t=s; p=${KEY}`, 'recorded'],
    [`v=DKIM1; s=other:*; p=${KEY}`, 'recorded'],
    [`v=DKIM1; t=y; p=${KEY}`, 'unproven'],
    [`v=DKIM1; t=s:y; p=${KEY}`, 'unproven'],
    [`v=DKIM1; s=other; p=${KEY}`, 'unproven'],
    [`v=DKIM1; h=sha1; p=${KEY}`, 'unproven'],
    ['v=DKIM1; p=', 'unproven'],
    [`v=DKIM2; p=${KEY}`, 'unproven'],
  ]
  for (const [record, outcome] of records) {
    test(`with the key ${record.slice(0, 40)}: ${outcome}`, async () => {
      assert.equal(await outcomeOf(at, await daemon(), { ...by, records: [record] }), outcome)
    })
  }

  test('with two keys at one name: unproven', async () => {
    assert.equal(
      await outcomeOf(at, await daemon(), { ...by, records: [KEY_RECORD, KEY_RECORD] }),
      'unproven',
    )
  })
})

test('signatures keep no small task of a company waiting', async (t) => {
  const deaths: string[] = []
  const workers = new Workers({ threads: 2, onDeath: (cause) => deaths.push(cause) })
  t.after(() => workers.close())
  const began: string[] = []
  const run = workers.run.bind(workers)
  // A thread that starts on a busy machine may take longer than a proof.
  await run(VERIFY, NOTHING, { company: 'c', weight: SMALL + 1 })
  workers.run = (job, input, options) => {
    if (job.url.endsWith('/verify-job.ts')) began.push(options.weight > SMALL ? 'large' : 'small')
    return run(job, input, options)
  }
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const from = 'mailer-daemon@rcpt.test'
  const mail = await signed(bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, from }), 'rcpt.test')
  const by = { published: ['rcpt.test'], workers }
  assert.equal(await outcomeOf(at, mail, by), 'recorded')
  assert.deepEqual(began, ['large'])
  // Each takes seconds or minutes in a verifier that gets it as it is.
  const costly = ['\r'.repeat(100_000), '\r\n a'.repeat(30_000), `a\r\nDKIM-Signature: ${';'.repeat(60_000)}`]
  for (const value of costly) {
    assert.equal(await outcomeOf(at, `X: ${value}\r\n${mail}`, by), 'unproven')
  }
  assert.deepEqual(began, ['large'])
  assert.deepEqual(deaths, [])
})

test('mail that a company hands in takes its own turns, so that it and mail of strangers do not wait for each other', async (t) => {
  const workers = new Workers({ threads: 2 })
  t.after(() => workers.close())
  const turns: string[] = []
  const run = workers.run.bind(workers)
  await run(VERIFY, NOTHING, { company: 'c', weight: SMALL + 1 })
  workers.run = (job, input, options) => {
    turns.push(`${job.url.replace(/^.*\//, '')} ${options.company}`)
    return run(job, input, options)
  }
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const from = 'mailer-daemon@rcpt.test'
  const report = bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, from })
  const mail = await signed(`X-Long: ${'long '.repeat(4_000)}\r\n${report}`, 'rcpt.test')
  const by = { published: ['rcpt.test'], workers }
  assert.equal(await outcomeOf(at, mail, { ...by, companyId: 'c' }), 'recorded')
  assert.equal(await outcomeOf(at, mail, by), 'recorded')
  assert.deepEqual(turns, [
    'read-mail-job.ts c',
    'verify-job.ts c',
    'read-mail-job.ts inbound',
    'verify-job.ts inbound proofs',
  ])
})

describe('name servers that do not answer', () => {
  const at = (domain: string) => emailAt(`mx.${domain} [198.51.100.7]:25`, `ann@${domain}`)
  const report = (domain: string) =>
    bounce({ to: `ann@${domain}`, messageId: MESSAGE_ID, from: `mailer-daemon@${domain}` })
  const known: ReturnType<KeyLookup> = Promise.resolve({ kind: 'found', records: [KEY_RECORD] })
  const never: ReturnType<KeyLookup> = new Promise(() => {})

  /** Receives mails about emails to `ann` at the domains that they come from. */
  function receiver(keys: KeyLookup) {
    const receive = mailReceiver({
      store: {
        reportedEmails: async (named) =>
          named.map(({ addresses: [address] }) => at(address!.slice(address!.indexOf('@') + 1))),
        emailWithMessageId: async () => null,
        keepInboundMails: async (arrivals: readonly InboundArrival[]) =>
          arrivals.map(({ mail: { id, refused } }) => ({ id, outcome: refused ?? 'recorded', events: 1 })),
      },
      returnPathKey: new ReturnPathKey(Buffer.alloc(32, 7)),
      keys,
      domainReports: null,
      fullMailbox: null,
      workers: null,
      now: () => Date.now(),
    })
    const raw = (mail: string) => ({ recipient: null, raw: Buffer.from(mail) })
    /** Without a client it comes from the mailbox. */
    return (mail: string, client?: string) =>
      client === undefined
        ? receive({ ...raw(mail), source: 'mailbox', peer: 'INBOX' })
        : receive({ ...raw(mail), source: 'smtp', peer: '203.0.113.9', reversePath: '', client })
  }
  const seen = ({ outcome, putOff }: ReceivedMail) => [outcome, putOff]

  /** A mail with a signature by the known key, and others whose keys have these selectors. */
  async function withFurther(domain: string, selectors: readonly string[]): Promise<string> {
    const further = selectors.map(
      (selector) =>
        `DKIM-Signature: v=1; a=rsa-sha256; d=${domain}; s=${selector}; h=from:content-type; bh=AAAA; b=AAAA\r\n`,
    )
    return further.join('') + (await signed(report(domain), domain))
  }

  test('are queried for all keys at once, until one deadline', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const asked: string[] = []
    const all = Promise.withResolvers<void>()
    const receive = receiver((name) => {
      if (asked.push(name) === 4) all.resolve()
      return never
    })
    const received = receive(await withFurther('rcpt.test', ['a', 'b', 'c']))
    await all.promise
    mock.timers.tick(5_000)
    assert.deepEqual(seen(await received), ['unproven', true])
    assert.equal(asked.length, 4)
  })

  test('do not spoil a signature whose key is known', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const all = Promise.withResolvers<void>()
    let asked = 0
    const receive = receiver((name) => {
      if (++asked === 2) all.resolve()
      return name.startsWith('s.') ? known : never
    })
    const received = receive(await withFurther('rcpt.test', ['a']))
    await all.promise
    mock.timers.tick(4_000)
    assert.deepEqual(seen(await received), ['recorded', false])
  })

  test('defer a mail when they fail at once, too', async () => {
    const receive = receiver(async () => ({ kind: 'failed' }))
    assert.deepEqual(seen(await receive(await signed(report('rcpt.test'), 'rcpt.test'))), ['unproven', true])
  })

  test('hold few mails of their organization at a time, none afterwards, and none of others', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    let asked = 0
    const full = Promise.withResolvers<void>()
    const receive = receiver((name) => {
      if (name.endsWith('.rcpt.test')) return known
      if (++asked === 16) full.resolve()
      return never
    })
    const forged = await signed(report('evil.test'), 'evil.test')
    let answered = 0
    const flood = Array.from({ length: 300 }, (_, n) =>
      receive(`X-Number: ${n}\r\n${forged}`, `client ${n % 200}`).finally(() => answered++),
    )
    const below = await signed(report('mail.evil.test'), 'mail.evil.test')
    await full.promise
    assert.deepEqual(seen(await receive(await signed(report('rcpt.test'), 'rcpt.test'))), ['recorded', false])
    assert.deepEqual(seen(await receive(below)), ['unproven', true], 'a domain of the same organization')
    assert.ok(answered >= 284)
    mock.timers.tick(5_000)
    for (const each of await Promise.all(flood)) assert.deepEqual(seen(each), ['unproven', true])
    assert.deepEqual(seen(await receive(`X-Number: last\r\n${forged}`)), ['unproven', true])
    assert.equal(asked, 16)
  })

  test('hold few mails of a client at a time, whatever their organizations', async () => {
    let asked = 0
    const receive = receiver(() => {
      asked++
      return never
    })
    const domains = Array.from({ length: 17 }, (_, n) => `evil${n}.test`)
    const mails = await Promise.all(domains.map((domain) => signed(report(domain), domain)))
    const last = await Promise.race(mails.map((mail) => receive(mail, 'flooder')))
    assert.deepEqual(seen(last), ['unproven', true])
    assert.equal(asked, 16)
  })

  test('leave places for others, however many networks and organizations hold as many as they may', async () => {
    const receive = receiver((name) => (name.endsWith('.rcpt.test') ? known : never))
    const genuine = await signed(report('rcpt.test'), 'rcpt.test')
    const attackers = Array.from({ length: 20 }, (_, n) => `evil${n}.test`)
    const mails = await Promise.all(attackers.map((domain) => signed(report(domain), domain)))
    const putOff = new Set<number>()
    for (let round = 0; round < 16; round++) {
      for (const [n, mail] of mails.entries()) {
        void receive(`X-Number: ${round}\r\n${mail}`, `attacker ${n}`).then(() => putOff.add(n))
      }
      // A mail without a signature is done when those before it have got their places.
      await receive(report('rcpt.test'), 'provider')
    }
    assert.equal(putOff.size, attackers.length, 'none gets a further place')
    assert.deepEqual(seen(await receive(genuine, 'provider')), ['recorded', false])
    assert.deepEqual(seen(await receive(genuine)), ['recorded', false], 'from the mailbox')
  })

  test('below an organization do not keep its other keys from being queried', async () => {
    const asked: string[] = []
    const receive = receiver(async (name) => {
      asked.push(name)
      return name.endsWith('.customer.rcpt.test') ? { kind: 'failed' } : await known
    })
    const silent = await signed(report('customer.rcpt.test'), 'customer.rcpt.test')
    const genuine = await signed(report('rcpt.test'), 'rcpt.test')
    assert.deepEqual(seen(await receive(silent, 'provider')), ['unproven', true])
    assert.deepEqual(seen(await receive(silent, 'another')), ['unproven', true])
    assert.deepEqual(seen(await receive(genuine, 'provider')), ['recorded', false])
    assert.deepEqual(asked, ['s._domainkey.customer.rcpt.test', 's._domainkey.rcpt.test'])
  })

  test('keep a network waiting that brings many names of one organization, and no other network', async () => {
    let asked = 0
    const receive = receiver(async (name) => {
      if (name === 's._domainkey.rcpt.test') return await known
      asked++
      return { kind: 'failed' }
    })
    const genuine = await signed(report('rcpt.test'), 'rcpt.test')
    for (let n = 0; n < 2 * MAX_UNANSWERED; n++) {
      const domain = `d${n}.rcpt.test`
      assert.deepEqual(seen(await receive(await signed(report(domain), domain), 'attacker')), [
        'unproven',
        true,
      ])
    }
    assert.equal(asked, MAX_UNANSWERED)
    assert.deepEqual(seen(await receive(genuine, 'attacker')), ['unproven', true], 'it may try again later')
    assert.deepEqual(seen(await receive(genuine, 'provider')), ['recorded', false])
    assert.deepEqual(seen(await receive(genuine)), ['recorded', false], 'from the mailbox')
  })

  test('are not queried for a network whose proofs about an email keep failing, and are for others', async () => {
    let asked = 0
    const receive = receiver(() => {
      asked++
      return known
    })
    const genuine = await signed(report('rcpt.test'), 'rcpt.test')
    const forged = genuine.replace('5.1.1', '5.1.2')
    for (let n = 0; n < MAX_FAILED; n++) {
      assert.deepEqual(seen(await receive(`X-Number: ${n}\r\n${forged}`, 'forger')), ['unproven', false])
    }
    assert.equal(asked, MAX_FAILED)
    assert.deepEqual(seen(await receive(forged, 'forger')), ['unproven', true], 'it may try again later')
    assert.equal(asked, MAX_FAILED)
    assert.deepEqual(seen(await receive(genuine, 'provider')), ['recorded', false])
    assert.deepEqual(seen(await receive(genuine)), ['recorded', false], 'from the mailbox')
  })

  test('are queried for an email however many mails about it have no signature that could count', async () => {
    const receive = receiver(() => known)
    for (let n = 0; n <= MAX_FAILED; n++) {
      assert.deepEqual(seen(await receive(report('rcpt.test'), 'provider')), ['unproven', false])
    }
    assert.deepEqual(seen(await receive(await signed(report('rcpt.test'), 'rcpt.test'), 'provider')), [
      ...['recorded', false],
    ])
  })
})
