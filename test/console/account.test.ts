/** Signing in, and one's own account, as people do it in a browser; passkeys with a virtual authenticator. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import type { Person } from '../../src/people/person.ts'
import { Provider } from '../http/console/provider.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE, Visit } from './visit.ts'

const PASSWORD = 'marmalade on the violin'
const REFUSED = /status of (401|403|409) .* at \S+\/console\/api\/(session|account)/

describe('an account in the browser', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  /** By a name: browsers bind passkeys to no address. */
  const origin = () => stage.service.url.replace('127.0.0.1', 'localhost')

  async function arrive(t: TestContext, person: Person, options = {}): Promise<Visit> {
    const visit = await Visit.begin(t, stage.browser, origin(), { ownTab: true, ...options })
    visit.expect(REFUSED)
    await visit.page.goto((await stage.link(person)).replace('127.0.0.1', 'localhost'))
    await visit.page.getByRole('heading', { level: 1 }).waitFor()
    await visit.page.goto(`${origin()}/console/account`)
    await visit.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    return visit
  }

  async function setPassword(page: Page): Promise<void> {
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('button', { name: 'Change password' }).waitFor()
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto(`${origin()}/console/sign-in`)
    await page.evaluate(() =>
      fetch('/console/api/session', { method: 'DELETE', headers: { 'x-postroad-console': '1' } }),
    )
    await page.goto(`${origin()}/console/account`)
    await page.getByRole('heading', { name: 'Sign in to Postroad' }).waitFor()
  }

  async function enterPassword(page: Page, { address }: Person, password = PASSWORD): Promise<void> {
    await page.getByLabel('Email address').fill(address!)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  test('a password, an app with its codes, and recovery codes sign in', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await arrive(t, person)
    await setPassword(page)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent())!.replace(/\s/g, '')
    const app = new TOTP({ secret })
    const dialog = page.getByRole('dialog')
    const used = app.generate()
    await dialog.getByRole('textbox', { name: 'Code' }).fill(used)
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const codes = await page.getByRole('dialog').locator('li code').allTextContents()
    assert.equal(codes.length, 10)
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes are left').waitFor()

    await signOut(page)
    await enterPassword(page, person, 'not the password')
    await page.getByText('Address or password is wrong').waitFor()
    await enterPassword(page, person)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    // The code that turned it on counts no more; the next one does.
    await page.getByRole('textbox', { name: 'Code' }).fill(used)
    await page.getByText(/wrong or was already used/).waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(app.generate({ timestamp: Date.now() + 30_000 }))
    await page.getByRole('heading', { name: 'Your account' }).waitFor()

    await signOut(page)
    await enterPassword(page, person)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0]!.toUpperCase())
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('9 recovery codes are left').waitFor()
  })

  test('a passkey alone signs in, and is renamed and removed', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const { page, context } = await arrive(t, person)
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('cell', { name: 'Chrome on Linux', exact: true }).waitFor()
    await page.getByRole('button', { name: /^Rename/ }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('My laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'My laptop', exact: true }).waitFor()

    // In the field of the address the browser offers it: this one takes whatever is offered.
    await context.clearCookies({ name: 'postroad_session' })
    await page.goto(`${origin()}/console/account`)
    await page.getByText(/signed in with a passkey/).waitFor()

    await context.clearCookies({ name: 'postroad_session' })
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await page.goto(`${origin()}/console/account`)
    const answered = page.waitForRequest((request) => request.url().endsWith('/session/passkey'))
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    // Who has listened signs in with none of it.
    const request = await answered
    const { cookie, 'content-type': type } = await request.allHeaders()
    const again = await fetch(request.url(), {
      method: 'POST',
      headers: { 'content-type': type!, cookie: cookie!, 'x-postroad-console': '1' },
      body: request.postData(),
    })
    assert.equal(again.status, 401, await again.text())
    assert.match(cookie!, /postroad_passkey=/)
    const { credentials } = (await stage.service.store.findPerson({ id: person.id }))!
    assert.ok(credentials.passkeys[0]!.usedAt !== null)

    // It is the only way in.
    await page.getByRole('button', { name: 'Remove My laptop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(/set a password first/).waitFor()
    await setPassword(page)
    await page.getByRole('button', { name: 'Remove My laptop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('cell', { name: 'My laptop', exact: true }).waitFor({ state: 'detached' })
  })

  test('a change that needs a fresh proof asks for the password, and goes on', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await arrive(t, person)
    await setPassword(page)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 16 * 60_000 })
    await page.getByLabel('New password').fill('violins in the marmalade')
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm your identity' })
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Your password was changed').waitFor()
  })

  for (const options of [
    { name: 'light', colorScheme: 'light' },
    { name: 'dark', colorScheme: 'dark' },
    { name: 'on a phone', colorScheme: 'light', viewport: PHONE },
  ] as const) {
    test(`the page is accessible: ${options.name}`, async (t) => {
      const { name: _, ...look } = options
      const visit = await arrive(t, stage.operator, look)
      assert.deepEqual(await visit.barriers(), [])
      await visit.page.getByRole('button', { name: 'Turn on' }).click()
      await visit.page.getByRole('img', { name: /QR code/ }).waitFor()
      assert.deepEqual(await visit.barriers(), [])
      await visit.page.goto(`${origin()}/console/sign-in`)
      await visit.page.getByRole('heading', { name: 'Sign in to Postroad' }).waitFor()
      assert.deepEqual(await visit.barriers(), [])
      const { scrollWidth, clientWidth } = await visit.page.evaluate<{
        scrollWidth: number
        clientWidth: number
      }>(
        '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
      )
      assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`)
    })
  }
})

describe('an account elsewhere in the browser', { skip: withoutBrowser() }, () => {
  let provider: Provider
  let stage: Stage
  before(async () => {
    provider = await Provider.start()
    const openid = { issuer: provider.url, clientId: 'postroad', clientSecret: 'client secret' }
    stage = await Stage.open({ openid, allowPrivateNetworks: true })
  })
  after(async () => {
    await stage?.close()
    provider?.close()
  })

  test('is connected on the page, signs in, and is disconnected', async (t) => {
    const person = await stage.person({ [stage.company.id]: 'viewer' })
    const { url } = stage.service
    const visit = await Visit.begin(t, stage.browser, url, { ownTab: true })
    visit.expect(/asked another origin: \S+\/realms\/staff\/authorize/)
    visit.expect(REFUSED)
    const { page } = visit
    await page.goto(await stage.link(person))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${url}/console/account`)
    provider.claims = { sub: 'ada', email: 'ada@elsewhere.test', email_verified: true }
    const { host } = new URL(provider.url)
    await page.getByRole('button', { name: `Connect your account of ${host}` }).click()
    await page.getByRole('cell', { name: 'ada@elsewhere.test', exact: true }).waitFor()
    assert.ok(page.url().endsWith('/console/account'))
    assert.deepEqual(await visit.barriers(), [])

    await page.evaluate(() =>
      fetch('/console/api/session', { method: 'DELETE', headers: { 'x-postroad-console': '1' } }),
    )
    await page.goto(`${url}/console/account`)
    await page.getByRole('button', { name: `Sign in with ${host}` }).click()
    await page.getByText(/signed in through the provider/).waitFor()

    // It is the only way in.
    const disconnect = async () => {
      await page.getByRole('button', { name: /^Disconnect ada@elsewhere.test/ }).click()
      await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    }
    await disconnect()
    await page.getByText(/set a password first/).waitFor()
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('button', { name: 'Change password' }).waitFor()
    await disconnect()
    await page.getByRole('button', { name: `Connect your account of ${host}` }).waitFor()

    // An account of another person stays with that person, and the page says so.
    const other = await stage.person({ [stage.company.id]: 'viewer' })
    const identities = [{ issuer: provider.url, subject: 'ada' }]
    const { credentials } = other
    await stage.service.store.updatePerson(other.id, other.version, {
      credentials: { ...credentials, identities },
    })
    await page.getByRole('button', { name: `Connect your account of ${host}` }).click()
    await page.getByRole('heading', { name: 'The account was not connected' }).waitFor()
    await page.getByText(/is connected with another person/).waitFor()
    await page.getByRole('button', { name: 'Back to your account' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })
})

describe('in an installation that sends mail', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open({
      delivery: { kind: 'direct' },
      hostname: 'mail.example.com',
    })
  })
  after(() => stage?.close())

  test('a person who comes by a link chooses an address and a password first', async (t) => {
    const { store, url } = stage.service
    await store.updatePerson(stage.operator.id, 0, { address: null, name: '' })
    const visit = await Visit.begin(t, stage.browser, url, { ownTab: true })
    visit.expect(/status of 422/)
    const { page } = visit
    await page.goto(await stage.link(stage.operator))
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    // The link is spent; the session that it began is not.
    await page.waitForURL('**/sign-in?choose=true')
    await page.reload()
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
    await page.getByLabel('Email address').fill('olga@people.test')
    await page.getByRole('textbox', { name: 'Password' }).fill('password123')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByText(/among the first that attackers try/).waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.waitForURL('**/start')
    const person = await store.findPerson({ address: 'olga@people.test' })
    assert.ok(person?.credentials.password)
    // Nothing is left to choose, here and for a browser without a session.
    await page.goto(`${url}/console/sign-in?choose=true`)
    await page.waitForURL('**/start')
    // Of the requests that the page has under way.
    visit.expect(/status of 401/)
    await visit.context.clearCookies()
    await page.goto(`${url}/console/sign-in?choose=true`)
    await page.getByRole('heading', { name: 'Sign in to Postroad' }).waitFor()
  })
})
