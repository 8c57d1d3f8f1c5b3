/**
 * A page of the browser with a context of its own. One test after the other uses it, because a new context takes three
 * times as long as a page in one that has loaded the console before.
 */
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  ConsoleMessage,
  Page,
  Request,
} from 'playwright-core'

export const DESKTOP = { width: 1_280, height: 900 }

export interface Look {
  /** `DESKTOP` and light by default. */
  viewport?: typeof DESKTOP
  colorScheme?: 'light' | 'dark'
}

export interface TabOptions extends Look, Pick<BrowserContextOptions, 'timezoneId' | 'permissions'> {
  /**
   * The browser loads the parts of all pages when it is idle. By default it says that it saves data, and loads a part when it is needed:
   * some hundred files for each test would be a large part of its processor time.
   */
  loadsAll?: boolean
  /**
   * The test changes more than cookies and storage (scripts before each page, a clock, handlers) or measures a first
   * visit: no other test uses its tab.
   */
  ownTab?: boolean
}

/** Learns what happens in a tab. */
export interface Watcher {
  asked(request: Request): void
  failed(request: Request): void
  logged(message: ConsoleMessage): void
  threw(error: Error): void
}

const SAVE_DATA =
  "Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })"

export class Tab {
  readonly page: Page
  /** Whether the next test may use it. */
  readonly isShared: boolean
  watcher: Watcher | null = null

  static async open(browser: Browser, options: TabOptions): Promise<Tab> {
    const { loadsAll, ownTab: _, viewport = DESKTOP, colorScheme = 'light', ...rest } = options
    const look = { viewport, colorScheme, reducedMotion: 'reduce' } as const
    const context = await browser.newContext({ ...look, ...rest })
    if (!loadsAll) await context.addInitScript(SAVE_DATA)
    return new Tab(await context.newPage(), isShared(options))
  }

  private constructor(page: Page, isShared: boolean) {
    this.page = page
    this.isShared = isShared
    this.context.on('request', (request) => this.watcher?.asked(request))
    this.context.on('requestfailed', (request) => this.watcher?.failed(request))
    this.context.on('console', (message) => this.watcher?.logged(message))
    this.context.on('weberror', (error) => this.watcher?.threw(error.error()))
  }

  get context(): BrowserContext {
    return this.page.context()
  }

  async show({ viewport = DESKTOP, colorScheme = 'light' }: Look): Promise<void> {
    await this.page.setViewportSize(viewport)
    await this.page.emulateMedia({ colorScheme })
  }

  /**
   * Makes it new, but for its history: without what the test has stored and without other pages, at an address that has
   * no script. That belongs to the same origin, because another one would get another process. Rejects when the service
   * has ended.
   */
  async clear(origin: string): Promise<void> {
    const { page, context } = this
    await page.goto(`${origin}/health`)
    await Promise.all(context.pages().map((each) => (each === page ? null : each.close())))
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await context.clearCookies()
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
}

/** Tabs that ended tests have left, by the origin of their service. */
const left = new Map<string, Tab[]>()

/** A tab changes its look for each test; for all else it would need another context. */
function isShared({ viewport: _, colorScheme: __, ...rest }: TabOptions): boolean {
  return Object.keys(rest).length === 0
}

export async function takeTab(browser: Browser, origin: string, options: TabOptions): Promise<Tab> {
  const tab = isShared(options) ? left.get(origin)?.pop() : undefined
  // A browser that has crashed has closed its pages.
  if (tab === undefined || tab.page.isClosed()) return await Tab.open(browser, options)
  await tab.show(options)
  return tab
}

export async function leaveTab(tab: Tab, origin: string): Promise<void> {
  if (tab.isShared) {
    try {
      await tab.clear(origin)
      left.set(origin, [...(left.get(origin) ?? []), tab])
      return
    } catch {
      // Its service has ended.
    }
  }
  await tab.context.close()
}

/** Closes the tabs that tests have left: their service is about to end. */
export async function closeTabs(origin: string): Promise<void> {
  const tabs = left.get(origin) ?? []
  left.delete(origin)
  await Promise.all(tabs.map(({ context }) => context.close()))
}
