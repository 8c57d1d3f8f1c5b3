/** A page in a browser, and everything about it that must never be. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Look, leaveTab, type Tab, type TabOptions, takeTab } from './tab.ts'

export const PHONE = { width: 390, height: 844 }

/** The page learns by a request that no person has signed in. */
const SIGNED_OUT = /status of 401 .* at \S+\/console\/api\/session$/

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** axe cannot run in a frame without script, and others have written its content. */
const AXE_CONTEXT = { exclude: ['iframe[sandbox]'] }
const AXE_OPTIONS = {
  // Rules that pass need no details.
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}

export class Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Addresses of all requests. */
  readonly asked: string[] = []
  readonly #tab: Tab
  readonly #complaints: string[] = []
  readonly #expected = [SIGNED_OUT]

  /** Errors on the console (breaches of the policy among them), requests that fail or leave `origin`: each fails the test. */
  static async begin(
    t: TestContext,
    browser: Browser,
    origin: string,
    options: TabOptions = {},
  ): Promise<Visit> {
    const tab = await takeTab(browser, origin, options)
    const visit = new Visit(tab, origin)
    t.after(async () => {
      tab.watcher = null
      await leaveTab(tab, origin)
      assert.deepEqual(visit.complaints, [])
    })
    return visit
  }

  private constructor(tab: Tab, origin: string) {
    this.#tab = tab
    this.context = tab.context
    this.page = tab.page
    const complain = (complaint: string) => this.#complaints.push(complaint)
    tab.watcher = {
      asked: (request) => {
        const url = new URL(request.url())
        this.asked.push(url.href)
        const isOwn = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:'
        if (!isOwn) complain(`asked another origin: ${url.href}`)
      },
      failed: (request) => {
        const why = request.failure()?.errorText
        // The page itself aborts requests, as when it is left.
        if (why !== 'net::ERR_ABORTED') complain(`failed: ${request.url()} (${why})`)
      },
      logged: (message) => {
        const { url } = message.location()
        if (message.type() === 'error' || message.type() === 'warning') {
          complain(`${message.type()}: ${message.text()} at ${url}`)
        }
      },
      threw: (error) => complain(String(error.stack)),
    }
  }

  /** Loads the page again, on another screen or in the other scheme. A context of its own would cost as much as the page. */
  async reloadWith(look: Look): Promise<void> {
    await this.show(look)
    await this.page.reload()
  }

  /** The screen and the scheme of pages from now on. */
  async show(look: Look): Promise<void> {
    await this.#tab.show(look)
  }

  /** The open page goes over to the other scheme. */
  async changeScheme(colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.emulateMedia({ colorScheme })
    await this.page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' })
    // Colours go over bit by bit.
    await this.page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  }

  get complaints(): string[] {
    return this.#complaints.filter((each) => !this.#expected.some((pattern) => pattern.test(each)))
  }

  /** What this test brings about itself, e.g. `/status of 422/`. */
  expect(...complaints: RegExp[]): void {
    this.#expected.push(...complaints)
  }

  /** What keeps some people from using the page as it stands there now (WCAG 2.2 AA), by axe. */
  async barriers(): Promise<string[]> {
    // Once in a document: to inject it costs as much as to run it.
    if (!(await this.page.evaluate<boolean>("'axe' in window"))) await this.page.evaluate(AXE)
    const { violations } = await this.page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify(AXE_CONTEXT)}, ${JSON.stringify(AXE_OPTIONS)})`,
    )
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 300)}\n${failureSummary}`),
    )
  }
}

/** Waits until the page is there, without placeholders for parts that still load. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page
    .locator('.mantine-Skeleton-root[data-visible], .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' })
}
