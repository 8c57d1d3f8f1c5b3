/** A page in a browser, and everything about it that must never be. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

export const DESKTOP = { width: 1_280, height: 900 }
export const PHONE = { width: 390, height: 844 }

export interface VisitOptions
  extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'timezoneId' | 'permissions'> {
  /**
   * The browser loads the parts of all pages when it is idle. By default it says that it saves data, and loads a part when it is needed:
   * some hundred files for each test would be a large part of its processor time.
   */
  loadsAll?: boolean
}

export interface Look {
  /** `DESKTOP` and light by default. */
  viewport?: typeof DESKTOP
  colorScheme?: 'light' | 'dark'
}

const SAVE_DATA =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

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
  readonly #complaints: string[] = []
  readonly #expected = [SIGNED_OUT]

  /** Errors on the console (breaches of the policy among them), requests that fail or leave `origin`: each fails the test. */
  static async begin(
    t: TestContext,
    browser: Browser,
    origin: string,
    { loadsAll = false, ...options }: VisitOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options })
    if (!loadsAll) await context.addInitScript(SAVE_DATA)
    const visit = new Visit(context, await context.newPage(), origin)
    t.after(async () => {
      await context.close()
      assert.deepEqual(visit.complaints, [])
    })
    return visit
  }

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context
    this.page = page
    context.on('request', (request) => {
      const url = new URL(request.url())
      this.asked.push(url.href)
      const isOwn = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:'
      if (!isOwn) this.#complaints.push(`asked another origin: ${url.href}`)
    })
    context.on('requestfailed', (request) => {
      const why = request.failure()?.errorText
      // What the page itself gave up, as when it is left.
      if (why !== 'net::ERR_ABORTED') this.#complaints.push(`failed: ${request.url()} (${why})`)
    })
    context.on('console', (message) => {
      const { url } = message.location()
      if (message.type() === 'error' || message.type() === 'warning') {
        this.#complaints.push(`${message.type()}: ${message.text()} at ${url}`)
      }
    })
    context.on('weberror', (error) => this.#complaints.push(String(error.error().stack)))
  }

  /** Loads the page again, on another screen or in the other scheme. A context of its own would cost as much as the page. */
  async reloadWith({ viewport = DESKTOP, colorScheme = 'light' }: Look): Promise<void> {
    await this.page.setViewportSize(viewport)
    await this.page.emulateMedia({ colorScheme })
    await this.page.reload()
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
