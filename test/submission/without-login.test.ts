/** Capture mode takes mail without a login, as applications in development send it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { SmtpListener } from '../../src/config/settings.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { suspendDomain } from '../../src/operate/domains.ts'
import { operationOn } from '../../src/operate/open.ts'
import { newestClient } from '../http/form/clients.ts'
import { startService } from '../support/service.ts'
import { base64, DOMAIN, message, SmtpClient, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

const WITHOUT_LOGIN: SmtpListener = { ...STARTTLS, withoutLogin: true }

/** As a new application of Laravel sends its first message. */
const FROM_LARAVEL =
  'From: Laravel <hello@example.com>\r\nTo: you@example.org\r\nSubject: Hi\r\n\r\nHello\r\n'

describe('without a login', () => {
  let rig: SubmissionRig
  /** The company and domain that the first start has created. */
  let acme: { companyId: string; domainId: string }
  before(async () => {
    rig = await startRig({ tls: null, submission: [WITHOUT_LOGIN, STARTTLS] })
    const { companies, domains } = await rig.service.store.accounts()
    const company = companies.find(({ name }) => name === 'Acme')!
    acme = { companyId: company.id, domainId: domains.find(({ companyId }) => companyId === company.id)!.id }
  })
  after(() => rig[Symbol.asyncDispose]())

  async function greeted(): Promise<SmtpClient> {
    const client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    return client
  }

  test('a message with any From belongs to the company of the first start, and is captured as it is', async () => {
    using client = await greeted()
    const { id, companyId, domainId, content } = await rig.email(
      await client.send(FROM_LARAVEL, ['you@example.org'], 'hello@example.com'),
    )
    assert.deepEqual({ companyId, domainId }, acme)
    assert.equal(content.from, 'Laravel <hello@example.com>')
    const raw = (await rig.captured(id)).toString()
    assert.match(raw, /^DKIM-Signature: [\s\S]*?\bd=acme\.test;/m)
    assert.match(raw, /^From: Laravel <hello@example\.com>\r$/m)
    assert.match(raw, /^Received: by postroad\.test \(Postroad\) with ESMTP id /m)
  })

  test('Sender and Resent-From may contain any address too', async () => {
    using client = await greeted()
    const header = 'Sender: Web <www@web1.example>\r\nResent-From: ann@elsewhere.example\r\n'
    const { companyId } = await rig.email(await client.send(header + FROM_LARAVEL))
    assert.equal(companyId, acme.companyId)
  })

  test('a From at an active domain of that company is sent for that domain', async () => {
    const shop = await rig.service.domain(acme.companyId, 'shop.example')
    const waiting = await rig.service.domain(acme.companyId, 'waiting.example', 'inactive')
    using client = await greeted()
    const domainOf = async (name: string) =>
      (await rig.email(await client.send(FROM_LARAVEL.replace('example.com', name)))).domainId
    assert.equal(await domainOf(shop.name), shop.id)
    assert.equal(await domainOf(waiting.name), acme.domainId)
    assert.equal(await domainOf(DOMAIN), acme.domainId, 'a domain of another company')
  })

  test('any user and password are accepted from programs that insist on them', async () => {
    for (const pair of ['\0null\0null', '\0hello@example.com\0secret', '\0api\0YOUR_API_KEY', '\0\0']) {
      using client = await greeted()
      await client.say(`AUTH PLAIN ${base64(pair)}`, /^235 /)
      const { companyId } = await rig.email(await client.send(FROM_LARAVEL))
      assert.equal(companyId, acme.companyId)
    }
  })

  test('an API key keeps its meaning: its company, its domains, and a wrong one is refused', async () => {
    using client = await rig.loggedIn()
    const { companyId } = await rig.email(await client.send(message()))
    assert.equal(companyId, rig.companyId)
    assert.match(await client.send(FROM_LARAVEL), /^550 5\.7\.1 example\.com is not a domain/)
    using other = await greeted()
    await other.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token.slice(0, -4)}0000`)}`, /^535 /)
    await other.say('MAIL FROM:<hello@example.com>', /^421 4\.7\.0 The login failed/)
  })

  test('an SMTP login keeps its password', async () => {
    const { token } = await rig.service.key(rig.companyId, { scopes: ['management', 'sending'] })
    const { domainCredentials } = newestClient(rig.service.url, token).domains
    await domainCredentials.create(DOMAIN, { login: 'alice', password: 'copper kettle on the hob' })
    const logIn = async (password: string) => {
      using client = await greeted()
      return await client.say(`AUTH PLAIN ${base64(`\0alice@${DOMAIN}\0${password}`)}`)
    }
    assert.match(await logIn('copper kettle on the hob'), /^235 /)
    assert.match(await logIn('something else'), /^535 /)
  })

  test('no TLS is offered, because no certificate is for 127.0.0.1', async () => {
    await using encrypting = await startRig({ submission: [WITHOUT_LOGIN] })
    using client = await encrypting.connect()
    const offers = await client.say('EHLO client.test', /^250-/)
    assert.match(offers, /AUTH PLAIN LOGIN/)
    assert.doesNotMatch(offers, /STARTTLS/)
    await client.say('STARTTLS', /^503 5\.5\.1 There is no TLS at this address/)
  })

  test('another listener still requires a login', async () => {
    using client = new SmtpClient(net.connect(rig.implicitPort, '127.0.0.1'))
    await client.reply()
    await client.say('EHLO client.test', /^250-/)
    await client.say('MAIL FROM:<hello@example.com>', /^530 5\.7\.0 Log in first/)
  })

  test('a browser that was tricked into sending a form is refused', async () => {
    using client = await rig.connect()
    await client.say('POST / HTTP/1.1', /^421 4\.7\.0 This is SMTP, not HTTP/)
  })
})

test('without a domain that may send, mail is put off with the next step', async () => {
  await using rig = await startRig({ tls: null, submission: [WITHOUT_LOGIN] })
  const { service } = rig
  const accounts = await service.store.accounts()
  const op = operationOn(service.settings, service.store, OPERATOR, accounts)
  await suspendDomain(op, { domain: accounts.domains.find(({ name }) => name === 'acme.test')!.id })
  await service.app.refreshAccounts()
  using client = await rig.connect()
  await client.say('EHLO client.test', /^250-/)
  await client.say('MAIL FROM:<a@x.test>', /^451 4\.3\.0 .*postroad domain activate DOMAIN/)
})

test('without an active domain, mail is deferred with the next step', async () => {
  const holder = net.createServer()
  await once(holder.listen(0, '127.0.0.1'), 'listening')
  const { port } = holder.address() as AddressInfo
  const optional = { ...WITHOUT_LOGIN, optional: true }
  try {
    await using service = await startService({ submission: [{ ...optional, port }, optional] })
    const { urls, withoutLogin, taken } = service.app.submission
    assert.deepEqual([urls.length, withoutLogin, taken], [1, urls, [`smtp://127.0.0.1:${port}`]])
    const told = service.logged.filter((line) => line.includes('No SMTP at this address'))
    assert.equal(told.length, 1)
    assert.match(told[0]!, new RegExp(`127\\.0\\.0\\.1:${port} is in use.*POSTROAD_SUBMISSION_LISTEN`))
    using client = new SmtpClient(net.connect(Number(new URL(urls[0]!).port), '127.0.0.1'))
    assert.match(await client.reply(), /^220 /)
  } finally {
    holder.close()
  }
})
