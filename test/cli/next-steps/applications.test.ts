/** Applications that are set up wrongly: the answer they get, or the log if their clients expect fixed words. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { base64, SmtpClient } from '../../submission/rig.ts'
import { until } from '../../support/until.ts'
import { newWorkplace, type Serving, serve, type Workplace } from '../postroad.ts'
import { testEach } from './slips.ts'

const MESSAGE = { from: 'a@acme.test', to: 'b@x.test', subject: 's', text: 't' }

describe('an application, or its operator, gets the next step when', () => {
  let place: Workplace
  let service: Serving
  let secure: Workplace
  let overTls: Serving
  const keys = { all: '', readingOnly: '', otherDomain: '', revoked: '', management: '' }

  before(async () => {
    place = newWorkplace({ POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0' })
    service = await serve(place, ['--json'], /\}\}\n/)
    await place.json('domain', 'add', 'pending.test', '--company', 'Acme')
    await place.json('domain', 'add', 'stopped.test', '--company', 'Acme')
    await place.json('domain', 'suspend', 'stopped.test')
    const key = (...args: string[]) =>
      place.json<{ id: string; token: string }>('key', 'create', '--company', 'Acme', '--name', 'k', ...args)
    const revoked = await key()
    await place.json('key', 'revoke', revoked.id)
    keys.revoked = revoked.token
    keys.all = (await key()).token
    keys.readingOnly = (await key('--scope', 'reading')).token
    keys.otherDomain = (await key('--domain', 'pending.test')).token
    await place.json('company', 'create', 'Other')
    const theirs = ['--company', 'Other', '--name', 'k', '--scope', 'management']
    keys.management = (await place.json<{ token: string }>('key', 'create', ...theirs)).token

    secure = newWorkplace({
      POSTROAD_TLS_CERT: 'cert.pem',
      POSTROAD_TLS_KEY: 'key.pem',
      POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0?proxy=on',
      POSTROAD_TRUSTED_PROXIES: '127.0.0.1',
      POSTROAD_MAX_MESSAGE_SIZE: '1MB',
    })
    const { cert, key: pem } = selfSigned(['localhost', '127.0.0.1'])
    writeFileSync(join(secure.folder, 'cert.pem'), cert)
    writeFileSync(join(secure.folder, 'key.pem'), pem)
    overTls = await serve(secure, ['--json'], /\}\}\n/)
  })
  after(() => {
    place.remove()
    secure.remove()
  })

  const json = async (body: object, token: string, path = '/emails') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return await response.text()
  }
  const form = async (
    from: string,
    token: string,
    { path = '/v3/acme.test/messages', user = 'api' } = {},
  ) => {
    const headers = { authorization: `Basic ${base64(`${user}:${token}`)}` }
    const body = new URLSearchParams({ ...MESSAGE, from })
    const response = await fetch(service.url + path, { method: 'POST', headers, body })
    return await response.text()
  }
  /** The log line of a refusal whose answer has exactly these words. There is one line a second for each kind. */
  const logged = (asked: () => Promise<string>, answer: RegExp, why: RegExp) =>
    until(async () => {
      assert.match(await asked(), answer)
      return warning(service, why)
    }, `a line of the log about ${why}`)

  testEach([
    {
      slip: 'From is at a domain that was not added (JSON)',
      tried: () =>
        logged(
          () => json({ ...MESSAGE, from: 'a@gmail.test' }, keys.all),
          /"The `gmail\.test` domain is not verified\. Please, add and verify your domain"/,
          /does not have this sending domain/,
        ),
      names: /postroad domain add gmail\.test --company NAME, or correct the domain/,
    },
    {
      slip: 'From is at a domain that is not verified (JSON)',
      tried: () =>
        logged(
          () => json({ ...MESSAGE, from: 'a@pending.test' }, keys.all),
          /"The `pending\.test` domain is not verified\. Please, add and verify your domain"/,
          /have not been verified/,
        ),
      names: /\(postroad domain show pending\.test\), then run: postroad domain verify pending\.test/,
    },
    {
      slip: 'the domain of the path was not added (form)',
      tried: () =>
        logged(
          () => form('a@mg.test', keys.all, { path: '/v3/mg.test/messages' }),
          /^\{"message":"Domain not found: mg\.test"\}$/,
          /does not have this sending domain.*"domain":"mg\.test"/,
        ),
      names: /postroad domain add mg\.test --company NAME/,
    },
    {
      slip: 'From is not at the domain of the path (form)',
      tried: () => form('a@pending.test', keys.all),
      names: /postroad domain update acme\.test --from pending\.test/,
    },
    {
      slip: 'the domain of the path is not verified (form)',
      tried: () => form('a@pending.test', keys.all, { path: '/v3/pending.test/messages' }),
      names: /not allowed to send: .*; publish its DNS records .*: postroad domain verify pending\.test/,
    },
    {
      slip: 'the domain of the path is suspended (form)',
      tried: () => form('a@stopped.test', keys.all, { path: '/v3/stopped.test/messages' }),
      names: /not allowed to send: .*; postroad domain activate stopped\.test/,
    },
    {
      slip: 'the key lacks a scope (JSON)',
      tried: () => json(MESSAGE, keys.readingOnly),
      names: /lacks the `sending` scope; .*: postroad key create .* --scope sending/,
    },
    {
      slip: 'the key lacks a scope (form)',
      tried: () => form('a@acme.test', keys.readingOnly),
      names: /lacks the sending scope; .*: postroad key create .* --scope sending/,
    },
    {
      slip: 'the key is for another domain (JSON)',
      tried: () => json(MESSAGE, keys.otherDomain),
      names: /only from the `pending\.test` domain; send from there, or create a key without --domain/,
    },
    {
      slip: 'the key is for another domain (form)',
      tried: () => form('a@acme.test', keys.otherDomain),
      names: /only from pending\.test; set that domain in the client, or create a key without --domain/,
    },
    {
      slip: 'the key was revoked',
      tried: () => logged(() => json(MESSAGE, keys.revoked), /"API key is invalid"/, /was revoked/),
      names: /postroad key create --company NAME --name NAME; then set its token in the application/,
    },
    {
      slip: 'the key is one of the service that was used before',
      tried: () =>
        logged(() => json(MESSAGE, 're_123456789'), /"API key is invalid"/, /not an API key of Postroad/),
      names: /postroad key create/,
    },
    {
      slip: 'the user name is not api (form)',
      tried: () =>
        logged(
          () => form('a@acme.test', keys.all, { user: 'postmaster@acme.test' }),
          /^Forbidden$/,
          /no API key in the form/,
        ),
      names: /\/v3 expects it as the password of the user `api`/,
    },
    {
      slip: 'the base URL ends in /v3, and the client adds it as well',
      tried: () => form('a@acme.test', keys.all, { path: '/v3/v3/acme.test/messages' }),
      names: /mail is accepted at \/v3\/\{domain\}\/messages: correct the base URL/,
    },
    {
      slip: 'the base URL lacks /v3',
      tried: () => form('a@acme.test', keys.all, { path: '/acme.test/messages' }),
      names: /mail is accepted at \/v3\/\{domain\}\/messages: correct the base URL/,
    },
    {
      slip: 'the domain was left empty in the settings of the client',
      tried: () => form('a@acme.test', keys.all, { path: '/v3//messages' }),
      names: /correct the base URL or the domain in the settings of the client/,
    },
    {
      slip: 'the base URL of a JSON client has a path',
      tried: () => json(MESSAGE, keys.all, '/api/emails'),
      names:
        /mail is accepted at \/emails: the base URL in the settings of the client must not contain a path/,
    },
    {
      slip: 'the URL begins with https:// and there is no certificate',
      async tried() {
        await assert.rejects(fetch(service.url.replace('http:', 'https:')))
        return await until(() => warning(service, /spoke HTTPS/), 'a line of the log')
      },
      names: /begin the URL in the application with http:\/\/, or set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY/,
    },
    {
      slip: 'the URL begins with http:// where HTTPS is spoken',
      async tried() {
        await assert.rejects(fetch(overTls.url.replace('https:', 'http:')))
        return await until(() => warning(overTls, /spoke HTTP on/), 'a line of the log')
      },
      names: /begin the URL in the application with https:\/\//,
    },
    {
      slip: 'a domain is to be activated that another company has',
      async tried() {
        const added = JSON.parse(await json({ name: 'acme.test' }, keys.management, '/domains'))
        const { code, stderr } = await place.run('domain', 'activate', added.id)
        assert.equal(code, 1)
        return stderr
      },
      names: /remove it there first; see: postroad domain show \S+$/m,
    },
  ])

  const over = async (lines: [say: string, expect: RegExp][], from: Serving = service) => {
    const port = Number(/"smtp:\/\/127\.0\.0\.1:(\d+)"/.exec(from.stdout())![1])
    const client = new SmtpClient(net.connect(port, '127.0.0.1'))
    if (from === overTls) client.socket.write('PROXY TCP4 198.51.100.9 127.0.0.1 40000 587\r\n')
    assert.match(await client.reply(), /^220 /)
    let said = ''
    for (const [line, expected] of lines) said = await client.say(line, expected)
    client.socket.destroy()
    return said
  }
  const login = (password: string, user = 'api') => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`
  const begun = (token: string): [string, RegExp][] => [
    ['EHLO client.test', /^250-/],
    [login(token), /^235 /],
  ]
  const whole = (token: string, from: string): [string, RegExp][] => [
    ...begun(token),
    [`MAIL FROM:<${from}>`, /^250 /],
    ['RCPT TO:<b@x.test>', /^250 /],
    ['DATA', /^354 /],
    [`From: ${from}\r\nSubject: s\r\n\r\nt\r\n.`, /^550 /],
  ]

  testEach([
    {
      slip: 'nobody logs in (SMTP)',
      tried: () =>
        over([
          ['EHLO client.test', /^250-/],
          ['MAIL FROM:<a@acme.test>', /^530 /],
        ]),
      names: /Log in first, with any user name and an API key as password/,
    },
    {
      slip: 'the password is not a key (SMTP)',
      tried: () =>
        over([
          ['EHLO client.test', /^250-/],
          [login('hunter2'), /^535 /],
        ]),
      names: /create a key with `postroad key create`/,
    },
    {
      slip: 'the key is given as user name (SMTP)',
      tried: () =>
        over([
          ['EHLO client.test', /^250-/],
          [login('', keys.all), /^535 /],
        ]),
      names: /The password is neither a valid API key/,
    },
    {
      slip: 'the connection is not encrypted (SMTP)',
      tried: () =>
        over(
          [
            ['EHLO client.test', /^250-/],
            [login('x'), /^538 /],
          ],
          overTls,
        ),
      names: /send STARTTLS first \(turn TLS on in the application\)/,
    },
    {
      slip: 'the connection is to be encrypted, and there is no certificate (SMTP)',
      tried: () =>
        over([
          ['EHLO client.test', /^250-/],
          ['STARTTLS', /^503 /],
        ]),
      names: /turn TLS off in the application, or set POSTROAD_TLS_CERT/,
    },
    {
      slip: 'the application logs in by CRAM-MD5 (SMTP)',
      tried: () =>
        over([
          ['EHLO client.test', /^250-/],
          ['AUTH CRAM-MD5', /^504 /],
        ]),
      names: /PLAIN and LOGIN; choose one of them in the application/,
    },
    {
      slip: 'From is at a domain that was not added (SMTP)',
      tried: () => over(whole(keys.all, 'a@gmail.test')),
      names: /\(postroad domain add gmail\.test\), or set another From address/,
    },
    {
      slip: 'From is at a domain that is not verified (SMTP)',
      tried: () => over(whole(keys.all, 'a@pending.test')),
      names: /then run: postroad domain verify pending\.test/,
    },
    {
      slip: 'the site has a name without a dot (SMTP)',
      tried: () => over(whole(keys.all, 'wordpress@localhost')),
      names: /the domain has no dot; set the From address in the application to one at your sending domain/,
    },
    {
      slip: 'a relay writes its bounces in the name of its machine (SMTP)',
      tried() {
        const from = 'MAILER-DAEMON@web1.internal'
        const bounce: [string, RegExp][] = whole(keys.all, from).map(([say, expect]) => [
          say.startsWith('MAIL') ? 'MAIL FROM:<>' : say,
          expect,
        ])
        const why = /a bounce from a relay was refused/
        return until(async () => {
          await over(bounce)
          return warning(service, why)
        }, 'a line of the log')
      },
      names: /myorigin \(Postfix\)/,
    },
    {
      slip: 'the message is too large (SMTP)',
      tried: () => over([...begun(keys.all), ['MAIL FROM:<a@acme.test> SIZE=99000000', /^552 /]]),
      names: /larger than the limit of 40 MB \(POSTROAD_MAX_MESSAGE_SIZE\)/,
    },
  ])
})

/** The line of the log with a refusal for this reason. */
function warning(from: Serving, why: RegExp): string | undefined {
  return from
    .stdout()
    .split('\n')
    .find((line) => line.includes('an application was refused') && why.test(line))
}
