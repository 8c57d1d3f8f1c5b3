/** Reports that came to no return path: believed only from the server that took the email. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { bounce } from '../../harness/returned-mail.ts'
import type { InboundArrival } from '../../src/email/inbound-mail.ts'
import { mailReceiver } from '../../src/inbound/receive-mail.ts'
import { ReturnPathKey } from '../../src/mail/return-path/return-path.ts'
import type { ReportedEmail } from '../../src/store/store.ts'

const ID = '0193a1b2-0000-7000-8000-000000000000'
const MESSAGE_ID = `<${ID}@acme.example>`
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

/** The fields that Google signs. */
const HEADER = 'From:To:Subject:Message-ID:Date'

/** An email to one recipient, taken by this server. */
function emailAt(server: string, address: string): ReportedEmail {
  return {
    ...{ id: ID, companyId: 'c', messageId: MESSAGE_ID, sender: 'news@acme.example', size: 1, reports: 0 },
    recipients: [{ position: 0, address, server, unsettled: false }],
  }
}

async function signed(mail: string, domain: string, headerList?: string): Promise<string> {
  const options = {
    signingDomain: domain,
    selector: 's',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  const { signatures } = await dkimSign(mail, {
    canonicalization: 'relaxed/relaxed',
    signatureData: [options],
    headerList,
  } as never)
  return `${signatures}${mail}`
}

/** What follows from a mail. `published`: domains whose key is in DNS. */
async function outcomeOf(
  email: ReportedEmail,
  mail: string,
  { peer = '203.0.113.9', published = [] }: { peer?: string; published?: string[] } = {},
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
      return known ? { kind: 'found', records: [`v=DKIM1; k=rsa; p=${KEY}`] } : { kind: 'absent' }
    },
    domainReports: null,
    fullMailbox: null,
    workers: null,
    now: () => Date.now(),
  })
  const raw = Buffer.from(mail)
  const { outcome } = await receive({ raw, recipient: null, source: 'smtp', peer })
  return outcome
}

describe('a report without a token', () => {
  const at = emailAt('mx.host.test [198.51.100.7]:25', 'ann@rcpt.test')
  const report = (change: Partial<Parameters<typeof bounce>[0]> = {}) =>
    bounce({ to: 'ann@rcpt.test', messageId: MESSAGE_ID, ...change })

  const rows: [what: string, mail: () => string | Promise<string>, by: object, outcome: string][] = [
    ['straight from the server that took the email', () => report(), { peer: '198.51.100.7' }, 'recorded'],
    [
      'straight from that server, to a socket for both families',
      () => report(),
      { peer: '::ffff:198.51.100.7' },
      'recorded',
    ],
    ['from any other address', () => report(), {}, 'unproven'],
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
      () => report({ to: 'ben@rcpt.test' }),
      { peer: '198.51.100.7' },
      'recorded',
    ],
  ]
  for (const [what, mail, by, outcome] of rows) {
    test(`${what}: ${outcome}`, async () => {
      assert.equal(await outcomeOf(at, await mail(), by), outcome)
    })
  }

  test('from a server of our own network proves nothing: it may pass on mail of anybody', async () => {
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
})
