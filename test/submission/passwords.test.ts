/** Logins with a chosen password, made by the client of the form dialect. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { addressGroup } from '../../src/ingress/admission/address-group.ts'
import { type AttemptSource, Attempts, TooManyAttempts } from '../../src/people/attempts.ts'
import { newestClient } from '../http/form/clients.ts'
import { Api } from '../http/requests.ts'
import { base64, DOMAIN, message, SmtpClient, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

const PASSWORD = 'copper kettle on the hob'
const OTHER = 'nine wet umbrellas'

describe('SMTP logins with a chosen password', () => {
  let rig: SubmissionRig
  let credentials: ReturnType<typeof newestClient>['domains']['domainCredentials']

  before(async () => {
    const submission = [STARTTLS, { ...STARTTLS, proxied: true, clearLogin: true }]
    rig = await startRig({ tls: null, submission, trustedProxies: ['127.0.0.1'] })
    const { token } = await rig.service.key(rig.companyId, { scopes: ['management', 'reading', 'sending'] })
    credentials = newestClient(rig.service.url, token).domains.domainCredentials
  })
  after(() => rig[Symbol.asyncDispose]())

  const named = (login: string) => `${login}@${DOMAIN}`
  const make = (login: string, password = PASSWORD) => credentials.create(DOMAIN, { login, password })

  /** A client that calls from this address. */
  async function connectFrom(address: string): Promise<SmtpClient> {
    const client = new SmtpClient(net.connect(rig.implicitPort, '127.0.0.1'))
    await once(client.socket, 'connect')
    client.write(`PROXY TCP4 ${address} 192.0.2.1 50000 587\r\n`)
    assert.match(await client.reply(), /^220 /)
    return client
  }

  /** Gives the answer to AUTH. */
  async function logIn(user: string, password: string, from = '198.51.100.1'): Promise<string> {
    using client = await connectFrom(from)
    await client.say('EHLO client.test', /^250-/)
    return await client.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`)
  }

  /** Tries as they are counted, so that one more from any place is too many there. */
  async function exhaust(trying: Partial<AttemptSource> & { account: string }): Promise<void> {
    const attempts = new Attempts(rig.service.store)
    for (let number = 1; ; number++) {
      const from = `203.0.113.${number}`
      try {
        await attempts.begin({ from, device: null, what: 'password', ...trying }, Date.now())
      } catch (error) {
        assert.ok(error instanceof TooManyAttempts)
        return
      }
    }
  }

  test('mailgun.js makes one, and it works under its name, over SMTP only', async () => {
    const made = await make('alice')
    assert.deepEqual(made, { status: 200, message: 'Created 1 credentials pair(s)' })
    using client = await rig.loggedIn(PASSWORD, named('alice'))
    const { domainId } = await rig.email(await client.send(message()))
    assert.equal((await rig.service.store.accounts()).domains.find(({ id }) => id === domainId)?.name, DOMAIN)
    assert.match(
      await client.send(message().replaceAll(DOMAIN, 'elsewhere.example')),
      /^550 5\.7\.1 From is at elsewhere\.example/,
    )
    using other = await rig.connect()
    await other.say('EHLO client.test', /^250-/)
    await other.say('AUTH LOGIN', /^334 /)
    await other.say(base64('ALICE@ACME.Example'), /^334 /)
    await other.say(base64(PASSWORD), /^235 /)
    for (const user of ['alice', 'bob@acme.example', 'alice@nobody.example', 'resend', '@', 'alice@-']) {
      assert.match(await logIn(user, PASSWORD), /^535 5\.7\.8 The password is neither a valid API key/, user)
    }
    assert.match(await logIn(named('alice'), `${PASSWORD}.`), /^535 /)
    const answer = await new Api(rig.service.url, PASSWORD).form(DOMAIN, [['to', 'b@x.test']])
    assert.equal(answer.status, 401)
  })

  test('a stop ends a login whose password waits to be checked', async () => {
    await using rig = await startRig({ tls: null, submission: [STARTTLS] })
    const { token } = await rig.service.key(rig.companyId, { scopes: ['management', 'reading', 'sending'] })
    const own = newestClient(rig.service.url, token).domains.domainCredentials
    await own.create(DOMAIN, { login: 'bob', password: PASSWORD })
    using client = await rig.connect()
    using other = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    const attempts = new Attempts(rig.service.store)
    const trying = {
      account: `smtp:${named('bob')}`,
      from: addressGroup('127.0.0.1'),
      device: null,
      what: 'password',
    } as const
    // The next attempt waits for several seconds.
    while ((await attempts.begin(trying, Date.now())).wait < 5_000);
    client.write(`AUTH PLAIN ${base64(`\0${named('bob')}\0${OTHER}`)}\r\n`)
    // The service reads the command before this one.
    await other.say('NOOP', /^250 /)
    const stopped = rig.service.stop()
    assert.match(await client.reply(), /^421 4\.3\.2 The service is stopping/)
    await client.ended()
    await stopped
  })

  test('another password counts at once, and ends with the login', async () => {
    await make('bob')
    assert.match(await logIn(named('bob'), PASSWORD), /^235 /)
    const changed = await credentials.update(DOMAIN, 'bob', { password: OTHER })
    assert.equal(changed.message, 'Password changed')
    assert.match(await logIn(named('bob'), OTHER), /^235 /)
    assert.match(await logIn(named('bob'), PASSWORD), /^535 /)
    using before = await rig.loggedIn(OTHER, named('bob'))
    await credentials.destroy(DOMAIN, named('bob'))
    await rig.service.app.refreshAccounts()
    assert.match(await logIn(named('bob'), OTHER), /^535 /)
    await before.say('MAIL FROM:<>', /^421 4\.7\.0 /)
  })

  test('is not kept, shown or logged', async () => {
    await make('carol')
    assert.match(await logIn(named('carol'), PASSWORD), /^235 /)
    // Some mistake one field for the other.
    rig.service.logged.length = 0
    assert.match(await logIn(PASSWORD, named('carol'), '198.51.100.7'), /^535 /)
    assert.ok(rig.service.logged.some((line) => line.includes('an SMTP login was refused')))
    const { keys } = await rig.service.store.accounts()
    const carol = keys.find(({ name }) => name === named('carol'))!
    assert.match(carol.password!, /^\$scrypt\$ln=15,r=8,p=3\$/)
    const audit = await rig.service.store.audit({ companyId: rig.companyId, limit: 100 })
    const { items } = await credentials.list(DOMAIN, { limit: 100, skip: 0 })
    const told = JSON.stringify([audit, items, rig.service.logged])
    for (const secret of [PASSWORD, carol.password!]) assert.ok(!told.includes(secret))
  })

  test('a common password, or an API key, is refused with the reason', async () => {
    const refused = async (password: string) => {
      try {
        await make('dora', password)
      } catch (error) {
        const { status, details } = error as { status: number; details: string }
        return `${status} ${details}`
      }
      return 'taken'
    }
    assert.match(await refused('secret'), /^400 .*at least 10 characters/)
    assert.match(await refused('password1234'), /^400 .*among the first that attackers try/)
    assert.match(await refused(`${DOMAIN}77`), /^400 .*among the first that attackers try/)
    assert.match(await refused(rig.key.token), /^400 .*belongs to another API key/)
    assert.match(await refused('x'.repeat(257)), /^400 /)
    assert.equal(await refused('supersecret'), 'taken')
  })

  test('connections that come at once are answered together', async () => {
    await make('erik')
    const clients = await Promise.all(Array.from({ length: 30 }, () => connectFrom('198.51.100.9')))
    const answers = clients.map(async (client) => {
      await client.say('EHLO client.test', /^250-/)
      await client.say(`AUTH PLAIN ${base64(`\0${named('erik')}\0${PASSWORD}`)}`, /^235 /)
      client[Symbol.dispose]()
    })
    await Promise.all(answers)
  })

  test('despite the guesses of others, a password that was right before is known, and so is its address', async () => {
    await make('fay')
    const home = '198.51.100.20'
    assert.match(await logIn(named('fay'), PASSWORD, home), /^235 /)
    const account = `smtp:${named('fay')}`
    await exhaust({ account })
    const abroad = await logIn(named('fay'), OTHER, '203.0.113.250')
    assert.match(abroad, /^454 4\.7\.0 There were too many wrong passwords; try again in \d+ s/)
    // It need not be looked at again.
    assert.match(await logIn(named('fay'), PASSWORD, '198.51.100.99'), /^235 /)
    // Another one has to be, and is where the login has succeeded before.
    await credentials.update(DOMAIN, 'fay', { password: OTHER })
    assert.match(await logIn(named('fay'), OTHER, home), /^235 /)
    // There, too, guesses have an end.
    await exhaust({ account, from: home, device: home })
    assert.match(
      await logIn(named('fay'), PASSWORD, home),
      /^454 4\.7\.0 There were too many wrong passwords/,
    )
    assert.match(await logIn(named('fay'), OTHER, home), /^235 /)
  })

  test('guesses at one login delay no other login', async () => {
    for (const login of ['gus', 'hana']) await make(login)
    await exhaust({ account: `smtp:${named('gus')}` })
    assert.match(await logIn(named('hana'), PASSWORD, '198.51.100.30'), /^235 /)
    // A login that does not exist is paced like one that does.
    await exhaust({ account: `smtp:${named('nobody')}` })
    assert.match(await logIn(named('nobody'), PASSWORD, '198.51.100.31'), /^454 /)
  })

  test('of simultaneous requests one counts, and a removed login is gone', async () => {
    const passwords = ['three of a kind', 'four of a kind', 'five of a kind']
    const made = await Promise.allSettled(passwords.map((password) => make('kim', password)))
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1)
    const logins = async () => {
      const { items } = await credentials.list(DOMAIN, { limit: 100, skip: 0 })
      return items.filter(({ login }) => login === named('kim')).length
    }
    assert.equal(await logins(), 1)
    await Promise.all(passwords.map((password) => credentials.update(DOMAIN, 'kim', { password })))
    assert.equal(await logins(), 1)
    // Two at once, as they are while a password is changed.
    const { service, companyId } = rig
    const { domains } = await service.store.accounts()
    const domainId = domains.find(({ name }) => name === DOMAIN)!.id
    await service.key(companyId, { name: named('kim'), scopes: ['sending'], domainId })
    assert.equal(await logins(), 2)
    await credentials.destroy(DOMAIN, 'kim')
    assert.equal(await logins(), 0)
    await service.app.refreshAccounts()
    for (const password of passwords) assert.match(await logIn(named('kim'), password), /^535 /)
  })

  test('another company cannot log in under the same name', async () => {
    await make('ida')
    const { service } = rig
    const company = await service.company('Others')
    const { token } = await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })
    const asked = await service.domain(company.id, DOMAIN, 'inactive')
    const mine = await service.domain(company.id, 'others.example')
    const theirs = newestClient(service.url, token).domains.domainCredentials
    await theirs.create(DOMAIN, { login: 'ida', password: OTHER })
    await service.app.refreshAccounts()
    assert.match(await logIn(named('ida'), OTHER), /^535 /)
    assert.match(await logIn(named('ida'), PASSWORD), /^235 /)
    // Nor does a login of another domain that takes such a name.
    await theirs.create('others.example', { login: 'jo', password: OTHER })
    const { keys } = await service.store.accounts()
    const jo = keys.find(({ name }) => name === 'jo@others.example')!
    assert.equal(jo.domainId, mine.id)
    await service.store.renameKey(jo.id, named('jo'))
    await service.app.refreshAccounts()
    assert.match(await logIn(named('jo'), OTHER), /^535 /)
    assert.ok(asked.id !== mine.id)
  })
})
