/** Pages as people see them: Debian's Chromium, or the one that POSTROAD_TEST_CHROMIUM names. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

function executable(): string | undefined {
  const { POSTROAD_TEST_CHROMIUM: named } = process.env
  return named ?? PLACES.find((path) => existsSync(path))
}

/** False, or why tests with a browser are skipped, which is also told. In CI nothing is left out: what cannot run fails. */
export function withoutBrowser(): string | false {
  if (process.env.CI || executable() !== undefined) return false
  const why = 'there is no Chromium: install chromium-headless-shell, or name one in POSTROAD_TEST_CHROMIUM'
  process.stderr.write(`NOT TESTED in a browser: ${why}\n`)
  return why
}

/**
 * Without the optimizing compilers of V8: a page lives for seconds, and they take more time of a processor than they save.
 */
const ARGS = ['--js-flags=--no-opt,--no-maglev']

export async function startBrowser(): Promise<Browser> {
  const executablePath = executable()
  if (executablePath === undefined) throw new Error(`no Chromium at ${PLACES.join(' or ')}`)
  return await chromium.launch({ executablePath, args: ARGS })
}
