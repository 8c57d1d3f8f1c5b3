/** A page in a browser, and everything about it that must never be. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

export const DESKTOP = { width: 1_280, height: 900 }
export const PHONE = { width: 390, height: 844 }

export type VisitOptions = Pick<
  BrowserContextOptions,
  'viewport' | 'colorScheme' | 'timezoneId' | 'permissions'
>

/** Of somebody who has not signed in the page learns by asking. */
const SIGNED_OUT = /status of 401 .* at \S+\/console\/api\/session$/

export class Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Addresses of everything that was asked for. */
  readonly asked: string[] = []
  readonly #complaints: string[] = []
  readonly #expected = [SIGNED_OUT]

  /** Errors on the console (breaches of the policy among them), requests that fail or leave `origin`: each fails the test. */
  static async begin(
    t: TestContext,
    browser: Browser,
    origin: string,
    options: VisitOptions = {},
  ): Promise<Visit> {
    const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options })
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

  get complaints(): string[] {
    return this.#complaints.filter((each) => !this.#expected.some((pattern) => pattern.test(each)))
  }

  /** What this test brings about itself, e.g. `/status of 422/`. */
  expect(...complaints: RegExp[]): void {
    this.#expected.push(...complaints)
  }

  /** What keeps some people from using the page as it stands there now (WCAG 2.2 AA), by axe. */
  async barriers(): Promise<string[]> {
    // In a frame without script nothing could look: what is in it others have written.
    const axe = new AxeBuilder({ page: this.page }).exclude('iframe[sandbox]')
    const { violations } = await axe
      // Its other mode opens a page to gather what frames say, which takes longer than the look itself.
      .setLegacyMode(true)
      // Of what is well it need not tell where it stands.
      .options({ resultTypes: ['violations'] })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze()
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 300)}\n${failureSummary}`),
    )
  }
}

/** Waits until the page stands there, and nothing stands in for what is still to come. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page
    .locator('.mantine-Skeleton-root[data-visible], .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' })
}
