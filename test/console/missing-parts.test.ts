/** Pages while the service is away, and parts that cannot be loaded: because it is away, or an upgrade has removed them. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { SeverableWay } from '../../harness/severable.ts'
import { type App, startApp } from '../../src/app.ts'
import { createLogger } from '../../src/log.ts'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { settled, Visit } from './visit.ts'

/** Said of a part that could not be loaded in advance, as when the pointer is above a link. */
const PRELOAD = /^warning: Couldn't load preload assets/
const AWAY = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/

/** More than a few minutes of reads that fail, and ms for each. */
const MANY_READS = 25
const LONGEST_PAUSE = 5_000

async function restart({ service }: Stage, t: TestContext): Promise<App> {
  const { hostname, port } = new URL(service.url)
  const listen = { host: hostname, port: Number(port) }
  const app = await startApp({ ...service.settings, listen }, createLogger('silent'))
  t.after(() => app.close())
  return app
}

const notice = (page: Page) => page.getByRole('status').filter({ hasText: 'Postroad does not answer' })
const linkTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })
const open = (page: Page, name: string) => linkTo(page, name).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

describe('a click while the service is away', { skip: withoutBrowser() }, () => {
  test('leaves the page as it is, says why, and opens the other page when the service is back', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`, { ownTab: true })
    visit.expect(AWAY, PRELOAD)
    const { page } = visit
    const subject = page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('Typed before')
    await stage.service.stop()
    await open(page, 'Domains')
    await notice(page).waitFor()
    assert.equal(await subject.inputValue(), 'Typed before')
    assert.deepEqual(await visit.barriers(), [])
    await restart(stage, t)
    await heading(page, 'Domains').waitFor()
    await notice(page).waitFor({ state: 'detached' })
  })

  test('can be taken back, and the text that was typed is sent afterwards', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`, { ownTab: true })
    visit.expect(AWAY, PRELOAD)
    const { page } = visit
    const subject = page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('Typed before')
    await stage.service.stop()
    await open(page, 'Domains')
    await notice(page).getByRole('button', { name: 'Stay on this page' }).click()
    await page.waitForURL(/\/start$/)
    await subject.fill('Typed meanwhile')
    await restart(stage, t)
    await notice(page).waitFor({ state: 'detached' })
    assert.equal(await subject.inputValue(), 'Typed meanwhile')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Captured' }).waitFor()
    await open(page, 'Domains')
    await heading(page, 'Domains').waitFor()
  })

  test('opens a page whose parts were loaded while the browser was idle, and explains why its content is missing', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`, { loadsAll: true })
    visit.expect(AWAY, PRELOAD)
    const { page } = visit
    // The last of them.
    await page.waitForResponse(/\/assets\/account-page/)
    await page.waitForLoadState('networkidle')
    await page.clock.install()
    await stage.service.stop()
    await open(page, 'API keys')
    await heading(page, 'API keys').waitFor()
    // Its content is missing until the service is back, however long that takes.
    await notice(page).waitFor()
    for (let reads = 0; reads < MANY_READS; reads++) {
      const failed = page.waitForEvent('requestfailed', (request) => /\/keys(\?|$)/.test(request.url()))
      await page.clock.fastForward(LONGEST_PAUSE)
      await failed
    }
    await notice(page).waitFor()
    await restart(stage, t)
    await notice(page).waitFor({ state: 'detached' })
    await page.getByRole('row').first().waitFor()
  })
})

describe('a page with content while the service is away', { skip: withoutBrowser() }, () => {
  test('says so until the service answers', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/suppressions`, { ownTab: true })
    visit.expect(AWAY, PRELOAD)
    const { page } = visit
    await page.clock.install()
    await page.reload()
    await settled(page)
    const overlays = page.waitForResponse(/\/assets\/overlays.*js/)
    await page.clock.fastForward('00:05')
    await overlays
    await page.waitForLoadState('networkidle')
    await stage.service.stop()
    await page.clock.fastForward('00:20')
    await notice(page)
      .getByText(/^Postroad does not answer\. Last answer at \d\d:\d\d:\d\d\.$/)
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await restart(stage, t)
    await page.clock.fastForward('00:10')
    await notice(page).waitFor({ state: 'detached' })
  })

  test('takes back the message of a form and explains an address when the service answers again', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    await stage.send()
    const visit = await stage.visit(t, `/c/${stage.company.id}/overview`, { ownTab: true })
    visit.expect(AWAY, PRELOAD)
    const { page } = visit
    await settled(page)
    const address = page.getByRole('textbox', { name: 'Address of a recipient' })
    await address.fill('a@b.test')
    const profile = await visit.context.newPage()
    await profile.goto(`${stage.service.url}/console/account`)
    const form = profile.getByRole('textbox', { name: 'Name', exact: true })
    await form.fill('Olga')
    await stage.service.stop()
    await page.getByRole('button', { name: 'Explain' }).click()
    await form.press('Enter')
    const alert = (of: Page) => of.getByRole('alert').filter({ hasText: 'Postroad does not answer' })
    const words = profile.getByText('Postroad does not answer. It may be restarting.')
    await alert(page).waitFor()
    await words.waitFor()
    for (const each of [page, profile]) await notice(each).waitFor()
    await restart(stage, t)
    await page.getByText('Mail to a@b.test would be captured now').waitFor()
    assert.equal(await alert(page).count(), 0)
    await words.waitFor({ state: 'detached' })
    assert.equal(await form.inputValue(), 'Olga')
  })
})

describe('an hour without a network', { skip: withoutBrowser() }, () => {
  /** What a person sees of the page, whose heading stays. */
  const main = (page: Page) => page.getByRole('main')

  test('leaves what is shown and typed, and each page has the latest when the network is back', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const { hostname, port } = new URL(stage.service.url)
    await using way = await SeverableWay.to(hostname, Number(port))
    const url = `http://${hostname}:${way.port}`
    const visit = await Visit.begin(t, stage.browser, url, { ownTab: true })
    visit.expect(AWAY, PRELOAD)
    const { context } = visit
    await context.addCookies([await stage.sessionCookie(stage.operator)])
    // The clock that the test moves on is a script, which a frame with HTML refuses.
    const email = await stage.send({ subject: 'Before', html: undefined, text: 'Hello' })
    const at = `/c/${stage.company.id}`
    const faults: string[] = []
    const tabOf = async (path: string, heading: string) => {
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => faults.push(message))
      await page.clock.install()
      await page.goto(`${url}/console${path}`)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      await settled(page)
      return { page, heading, before: (await main(page).innerText()).length }
    }
    const overview = await tabOf(`${at}/overview`, 'Overview')
    const domains = await tabOf(`${at}/domains`, 'Domains')
    const start = await tabOf(`${at}/start`, 'Get started')
    const opened = await tabOf(`${at}/emails/${email}`, 'Before')
    const tabs = [overview, domains, start, opened]
    const subject = start.page.getByRole('textbox', { name: 'Subject' })
    await subject.fill('Typed before')
    way.sever()
    for (const { page } of tabs) for (let tens = 0; tens < 6; tens++) await page.clock.fastForward('10:00')
    for (const { page, heading, before } of tabs) {
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      const { length } = await main(page).innerText()
      assert.ok(length > before / 2, `${heading}: ${before} characters, then ${length}`)
    }
    await stage.service.domain(stage.company.id, 'meanwhile.test')
    way.mend()
    for (const { page } of tabs) {
      await page.clock.fastForward('00:15')
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    }
    await domains.page.getByRole('link', { name: 'meanwhile.test' }).waitFor()
    assert.equal(await subject.inputValue(), 'Typed before')
    await start.page.getByRole('button', { name: 'Send', exact: true }).click()
    await start.page.getByRole('status').filter({ hasText: 'Captured' }).waitFor()
    for (const { page } of tabs) assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(faults, [])
  })
})

describe('a part that cannot be loaded', { skip: withoutBrowser() }, () => {
  test('says so in its place, and nothing else of the page is lost', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    await stage.send()
    // Without a first page, from which the browser could keep the parts.
    const visit = await Visit.begin(t, stage.browser, stage.service.url, { ownTab: true })
    await visit.context.addCookies([await stage.sessionCookie(stage.operator)])
    visit.expect(/status of 503/, PRELOAD)
    const { page } = visit
    for (const part of ['overlays', 'explain']) {
      await page.route(`**/assets/${part}-*.js`, (route) => route.fulfill({ status: 503, body: '' }))
    }
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/overview?explain=a@b.test`)
    const alerts = page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded' })
    const ofPage = page.getByRole('main').getByRole('alert')
    await ofPage.waitFor()
    await until(async () => (await alerts.count()) === 2, 'the alert about dialogs and notifications')
    await heading(page, 'Overview').waitFor()
    await page.getByRole('region', { name: 'Queue' }).waitFor()
    await linkTo(page, 'Domains').waitFor()
    await page.unrouteAll()
    await ofPage.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Mail to a@b.test would be captured now').waitFor()
  })
})

describe('a part that an upgrade has removed', { skip: withoutBrowser() }, () => {
  /** The page answers as another build. `missing`: whether a part is still missing after so many loads. */
  async function upgraded(visit: Visit, missing: (loads: number) => boolean): Promise<{ loads: number }> {
    visit.expect(/status of 404/, PRELOAD)
    const counted = { loads: 0 }
    visit.page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === visit.page.mainFrame()) counted.loads++
    })
    await visit.page.route('**/assets/domains-page*.js', (route) =>
      missing(counted.loads) ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    )
    await visit.page.route('**/console/', (route) => route.fulfill({ body: '<!doctype html>' }))
    return counted
  }

  test('loads the page again once, where the link leads', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`, { ownTab: true })
    const { page } = visit
    const counted = await upgraded(visit, (loads) => loads === 0)
    const link = linkTo(page, 'Domains')
    const asked = page.waitForResponse(/\/console\/$/)
    await link.hover()
    await asked
    assert.equal(counted.loads, 0, 'a pointer above a link reloads nothing')
    await link.click()
    await heading(page, 'Domains').waitFor()
    assert.match(page.url(), /\/domains$/)
    assert.equal(counted.loads, 1)
  })

  test('and that is still missing then is an error of the page', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`, { ownTab: true })
    const counted = await upgraded(visit, () => true)
    visit.expect(/A part of this page could not be loaded/)
    await open(visit.page, 'Domains')
    await visit.page
      .getByRole('alert')
      .filter({ hasText: 'A part of this page could not be loaded' })
      .waitFor()
    assert.equal(counted.loads, 1)
  })
})
