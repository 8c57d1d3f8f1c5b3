/** Pages as people see them: Debian's Chromium, or the one that POSTROAD_TEST_CHROMIUM names. */
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

function executable(): string | undefined {
  const { POSTROAD_TEST_CHROMIUM: named } = process.env
  return named ?? PLACES.find((path) => existsSync(path))
}

/** False, or the reason to skip tests with a browser, which is also printed. In CI no test is skipped: a missing browser fails it. */
export function withoutBrowser(): string | false {
  if (process.env.CI || executable() !== undefined) return false
  const why = 'there is no Chromium: install chromium-headless-shell, or name one in POSTROAD_TEST_CHROMIUM'
  process.stderr.write(`NOT TESTED in a browser: ${why}\n`)
  return why
}

/**
 * Features that change or slow down pages under test. A spare renderer costs more processor time than it saves, because each
 * test has one page.
 */
const FEATURES_OFF = [
  'HttpsUpgrades',
  'ImprovedCookieControls',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'SpareRendererForSitePerProcess',
  'Translate',
]

/**
 * V8 without its optimizing compilers: a page lives for seconds, and they take more processor time than they save. The
 * GPU process draws nothing that a thread of the browser could not.
 */
const ARGS = [
  '--js-flags=--no-opt,--no-maglev',
  '--in-process-gpu',
  `--disable-features=${FEATURES_OFF.join(',')}`,
]

let running: Promise<Browser> | null = null

after(async () => {
  await (await running)?.close()
})

/** The browser of this process, which ends with it: each test has a context of its own, and to start a browser costs as much as some pages. */
export async function sharedBrowser(): Promise<Browser> {
  running ??= start()
  const browser = await running
  // One test that crashes it is enough.
  if (browser.isConnected()) return browser
  running = start()
  return await running
}

async function start(): Promise<Browser> {
  const executablePath = executable()
  if (executablePath === undefined) throw new Error(`no Chromium at ${PLACES.join(' or ')}`)
  return await chromium.launch({ executablePath, args: ARGS })
}
