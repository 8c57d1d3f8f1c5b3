/** A fresh installation that delivers mail, from the link that it prints to the first message: with a DNS server and a mail server of the test. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { freePort } from '../../harness/free-port.ts'
import { sharedBrowser, withoutBrowser } from '../support/browser.ts'
import { builtConsole } from '../support/built-console.ts'
import { type Service, startService } from '../support/service.ts'
import { type Sink, startSink } from '../support/sink.ts'
import type { TabOptions } from './tab.ts'
import { PHONE, settled, Visit } from './visit.ts'

/** Ms: the page looks at DNS every 15 s. */
const NEXT_LOOK = 40_000
const MAX_CLICKS = 8

describe('the first hour', { skip: withoutBrowser() }, () => {
  let browser: Browser
  let dns: FakeDns
  let sink: Sink
  before(async () => {
    const port = await freePort()
    ;[browser, dns, sink] = await Promise.all([
      sharedBrowser(),
      startDns({ 'mine.example/MX': ['10 mx.mine.example'], 'mx.mine.example/A': ['127.0.0.1'] }),
      startSink({ name: 'mx.mine.example', host: '127.0.0.1', port }),
    ])
    await builtConsole()
  })
  after(async () => {
    await Promise.all([dns?.close(), sink?.close()])
  })

  /** A fresh installation without a sign-in, and a browser in front of it. */
  async function fresh(t: TestContext, options: TabOptions = {}) {
    const service = await startService({
      delivery: { kind: 'direct' },
      smtpPort: sink.port,
      dnsServers: [dns.address],
      allowPrivateNetworks: true,
      hostname: 'mail.service.test',
    })
    const visit = await Visit.begin(t, browser, service.url, { ownTab: true, ...options })
    t.after(() => service.close())
    return { service, visit, page: visit.page }
  }

  /** Follows the printed link and chooses a password, by keyboard up to the button. */
  async function signIn(page: Page, service: Service): Promise<void> {
    await page.goto(service.app.signInLink!)
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
    await page.keyboard.type('ada@mine.example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse battery staple')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('heading', { name: 'Get started', level: 1 }).waitFor()
  }

  const isFocused = async (page: Page, label: string) =>
    (await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).count()) === 1

  /** The lines of a zone file, as the DNS provider takes them. */
  function publish(zoneFile: string): void {
    for (const line of zoneFile.trim().split('\n')) {
      const [, name, texts] = /^(\S+)\. IN TXT (.+)$/.exec(line)!
      dns.zone[`${name}/TXT`] = [
        [...texts!.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join(''),
      ]
    }
  }

  test(`leads from the printed link to a delivered message in at most ${MAX_CLICKS} clicks`, async (t) => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { service, visit, page } = await fresh(t, { permissions })
    let clicks = 0
    await page.exposeFunction('countClick', () => clicks++)
    await page.addInitScript("addEventListener('click', ({ detail }) => detail > 0 && countClick(), true)")

    await signIn(page, service)
    assert.ok(await isFocused(page, 'Name of your company'))
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.type('First Ltd')
    await page.getByRole('button', { name: 'Create company' }).click()

    const next = page.locator('[aria-current=step]')
    await next.getByText('Your domain').waitFor()
    await page.waitForURL(/\/c\/[0-9a-f-]{36}\/start$/)
    assert.ok(await isFocused(page, 'Domain'))
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.type('first.example')
    await page.getByRole('button', { name: 'Add domain' }).click()

    await next.getByText('0 of 1 required record found').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    // Reads are not clicks of a person: the next step follows from the page.
    await page.reload()
    await next.getByText('0 of 1 required record found').waitFor()
    await page.getByRole('button', { name: 'Copy as zone file' }).click()
    publish(await page.evaluate<string>('navigator.clipboard.readText()'))

    await next.getByText('Test message').waitFor({ timeout: NEXT_LOOK })
    await page.getByText('The records of first.example were found.').waitFor()
    // The records are found and make room for the next step.
    await page.getByRole('region', { name: /^DKIM record/ }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('textbox', { name: 'To' }).inputValue(), 'ada@mine.example')
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const sent = page.getByRole('status').filter({ hasText: 'Accepted and stored' })
    await sent.getByText('Delivered').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    assert.equal(sink.messages.length, 1)
    t.diagnostic(`${clicks} clicks`)
    assert.ok(clicks <= MAX_CLICKS, `${clicks} clicks`)
    assert.equal(clicks, 5)

    // It is over: the console opens with the overview.
    await page.goto(`${service.url}/console/`)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByRole('term').filter({ hasText: 'Accepted' }).waitFor()
  })

  test('can be left on every step, and each page without content has the one button that continues it', async (t) => {
    const { service, visit, page } = await fresh(t)
    await signIn(page, service)
    const main = page.getByRole('main')
    /** Of each page, the links with which it continues. */
    async function continued(company: string, label: string, but: string[] = []): Promise<void> {
      for (const path of ['overview', 'emails', 'domains', 'keys', 'webhooks', 'suppressions']) {
        if (but.includes(path)) continue
        await page.goto(`${service.url}/console/c/${company}/${path}`)
        await main.getByRole('link', { name: label }).waitFor()
        await settled(page)
        assert.equal(await main.getByRole('link', { name: /^(Create|Add|Publish|Send)/ }).count(), 1, path)
        assert.equal(await main.getByText('Choose a company').count(), 0, path)
      }
      assert.deepEqual(await visit.barriers(), [])
      await main.getByRole('link', { name: label }).click()
      await page.getByRole('heading', { name: 'Get started', level: 1 }).waitFor()
    }

    await continued('all', 'Create your company')
    await page.getByLabel('Name of your company').fill('Left Ltd')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/c\/[0-9a-f-]{36}\/start$/)
    const company = new URL(page.url()).pathname.split('/')[3]!
    // With all companies in view, it goes on with the only one.
    await page.goto(`${service.url}/console/`)
    await page.getByLabel('Domain', { exact: true }).waitFor()
    await continued('all', 'Add your domain')

    // The list of domains has its own button for that step, which leads on as well.
    await continued(company, 'Add your domain', ['domains'])
    await page.goto(`${service.url}/console/c/${company}/domains`)
    await page.getByRole('button', { name: 'Add domain' }).last().click()
    await page.getByRole('dialog').getByLabel('Domain').fill('left.example')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'left.example', level: 1 }).waitFor()
    await continued(company, 'Publish the DNS records', ['domains'])

    const [domain] = (await service.store.accounts()).domains
    await service.store.updateDomain(domain!.id, { sending: 'active' })
    await service.app.refreshAccounts()
    await continued(company, 'Send a test message', ['domains'])
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  })

  test('fits a phone, in the dark', async (t) => {
    const { service, visit, page } = await fresh(t, { viewport: PHONE, colorScheme: 'dark' })
    await signIn(page, service)
    const fits = async () => {
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
      assert.deepEqual(await visit.barriers(), [])
    }
    await fits()
    const { id } = await service.company('Small Ltd')
    await service.domain(id, 'small.example', 'inactive')
    await page.goto(`${service.url}/console/`)
    await page.getByText('0 of 1 required record found').waitFor()
    await fits()
  })

  test('is not for an operator of several companies', async (t) => {
    const { service, page } = await fresh(t)
    await signIn(page, service)
    const first = await service.company('First Ltd')
    await service.company('Second Ltd')
    await page.goto(`${service.url}/console/`)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.goto(`${service.url}/console/c/${first.id}/keys`)
    await page.getByText('No API keys yet').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Add your domain' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Create API key' }).count(), 2)
  })
})
