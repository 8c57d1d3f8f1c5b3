/** `/docs` in a browser: the page is readable under its own policy, and loads nothing from other servers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { sharedBrowser, withoutBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'
import { OpenApi } from './openapi.ts'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1_280, height: 900 }

describe('/docs in a browser', { skip: withoutBrowser() }, () => {
  let service: Service
  let browser: Browser
  const contexts: BrowserContext[] = []

  before(async () => {
    browser = await sharedBrowser()
    service = await startService()
  })
  after(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    await service?.close()
  })

  /** The page, its requests, and the errors of the browser. */
  async function opened(viewport: typeof PHONE, colorScheme: 'light' | 'dark') {
    const context = await browser.newContext({ viewport, colorScheme })
    contexts.push(context)
    const page = await context.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${service.url}/docs`)
    return { page, asked, complaints }
  }

  /** The result of a script inside the page, where the names of browsers are known. */
  const within = <Value>(page: Page, script: string): Promise<Value> => page.evaluate<Value>(script)
  /** What reaches beyond the side of the screen. */
  const tooWide = (page: Page) =>
    within<string[]>(
      page,
      `[...document.querySelectorAll('body *')]
        .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
        .map((element) => element.outerHTML.slice(0, 100))`,
    )

  for (const [name, viewport] of [
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ] as const) {
    test(`on ${name} every route is shown within the width, with nothing from other servers`, async () => {
      const { page, asked, complaints } = await opened(viewport, 'light')
      assert.equal(await page.title(), 'Postroad API')
      const { routes } = await OpenApi.of(service.url)
      assert.equal(await page.locator('section').count(), routes.length)
      assert.equal(await page.locator('nav a').count(), routes.length)
      assert.deepEqual(await tooWide(page), [])
      // Its style counts: the policy lets it through.
      const style = await within(page, `getComputedStyle(document.querySelector('nav ul')).listStyleType`)
      assert.equal(style, 'none')
      assert.deepEqual(complaints, [])
      assert.deepEqual(asked, [`${service.url}/docs`])
      await page.close()
    })
  }

  test('a link of the list leads to its route', async () => {
    const { page, complaints } = await opened(PHONE, 'light')
    await page.locator('nav a[href="#sendMessage"]').click()
    const section = page.locator('section#sendMessage')
    const top = `document.querySelector('#sendMessage').getBoundingClientRect().top`
    assert.ok(Math.abs(await within<number>(page, top)) < 2)
    assert.match(await section.innerText(), /POST \/v3\/\{domain\}\/messages[\s\S]*recipient-variables/)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('in dark mode it has light text on a dark background', async () => {
    const brightness = (page: Page, property: 'color' | 'backgroundColor') =>
      within<number>(
        page,
        `getComputedStyle(document.body).${property}.match(/\\d+/g).slice(0, 3).reduce((sum, channel) => sum + Number(channel), 0)`,
      )
    for (const [scheme, sign] of [
      ['light', 1],
      ['dark', -1],
    ] as const) {
      const { page } = await opened(DESKTOP, scheme)
      const contrast = (await brightness(page, 'backgroundColor')) - (await brightness(page, 'color'))
      assert.ok(sign * contrast > 400, `${scheme}: ${contrast}`)
      await page.close()
    }
  })
})
