/**
 * npm run screenshots: takes every page of the console in light, dark, on a wide screen and at the width of a phone,
 * with a day of mail behind it and mail servers that accept, refuse and defer it. `--help` lists the arguments.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Page, Request } from 'playwright-core'
import { PAGES, SIGNED_OUT } from '../test/console/pages.ts'
import { Stage } from '../test/console/stage.ts'
import { settled } from '../test/console/visit.ts'
import { type Filled, fill, personNamed, settingsIn } from './screenshots/installation.ts'
import { openWorld } from './screenshots/world.ts'

type Cookie = Awaited<ReturnType<Stage['sessionCookie']>>

const SIZES = {
  light: { viewport: { width: 1_440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' },
  wide: { viewport: { width: 1_920, height: 1_080 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} as const

const FOR_DOCS = { viewport: { width: 1_200, height: 760 }, colorScheme: 'light' } as const

/** Of a picture of a phone, in pixels: what comes below looks the same. */
const MAX_HEIGHT = 2_400

const USAGE = `Takes pictures of the pages of the console.

  npm run screenshots                       every page, into console/screenshots
  npm run screenshots -- FOLDER             into another folder
  npm run screenshots -- FOLDER PAGE...     of these pages only
  npm run screenshots -- --docs             the pictures of README and docs, into docs/images

Pages: ${Object.keys(PAGES).join(', ')}
`

const {
  values: { docs: isForDocs, help },
  positionals: [given, ...wanted],
} = parseArgs({
  allowPositionals: true,
  options: {
    docs: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (help) {
  process.stdout.write(USAGE)
  process.exit()
}
const root = join(import.meta.dirname, '..')
const folder = given ?? (isForDocs ? join(root, 'docs', 'images') : join(root, 'console', 'screenshots'))
mkdirSync(folder, { recursive: true })
await using world = await openWorld()
const stage = await Stage.open(settingsIn(world), Date.now() - 30 * 24 * 3_600_000)
try {
  const shown = await fill(stage, world)
  const cookie = await stage.sessionCookie(await personNamed(stage, 'Olga', { operator: true }))
  await (isForDocs ? takeForDocs(shown, cookie) : takeAll(shown, cookie))
  process.stdout.write(`The pictures are in ${folder}\n`)
} finally {
  await stage.browser.close()
  await stage.close()
}

async function takeAll(shown: Filled, cookie: Cookie): Promise<void> {
  const pages = Object.entries(PAGES).filter(([name]) => wanted.length === 0 || wanted.includes(name))
  for (const [size, options] of Object.entries(SIZES)) {
    for (const [name, path] of pages) {
      const context = await stage.browser.newContext({ ...options, reducedMotion: 'reduce' })
      if (!SIGNED_OUT.includes(name)) await context.addCookies([cookie])
      const page = await context.newPage()
      const quiet = await open(page, path(shown))
      const scrollHeight = await page.evaluate<number>('document.documentElement.scrollHeight')
      const height = size === 'phone' ? Math.min(scrollHeight, MAX_HEIGHT) : options.viewport.height
      // What is far below is loaded when it comes into sight.
      await page.setViewportSize({ width: options.viewport.width, height })
      await quiet()
      const clip = { x: 0, y: 0, width: options.viewport.width, height }
      await page.screenshot({ path: join(folder, `${name}-${size}.png`), fullPage: true, clip })
      await context.close()
    }
  }
}

async function takeForDocs(shown: Filled, cookie: Cookie): Promise<void> {
  const pictures = {
    overview: PAGES.overview!(shown),
    emails: PAGES.emails!(shown),
    domain: PAGES.domain!(shown),
    email: PAGES.email!({ ...shown, email: shown.delayed }),
  }
  const context = await stage.browser.newContext({ ...FOR_DOCS, reducedMotion: 'reduce' })
  await context.addCookies([cookie])
  for (const [name, path] of Object.entries(pictures)) {
    const page = await context.newPage()
    const quiet = await open(page, path)
    if (name === 'email') await page.getByRole('button', { name: /Attempt 1 at/ }).click()
    await quiet()
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await page.close()
  }
}

/** Once it stands there; what it gives resolves when nothing more is loaded. */
async function open(page: Page, path: string): Promise<() => Promise<void>> {
  const quiet = untilQuiet(page)
  await page.goto(`${stage.service.url}/console${path}`)
  await settled(page)
  await quiet()
  return quiet
}

/**
 * Resolves once nothing has been asked for a while but for what is live: pictures, frames and parts of the page that
 * are loaded late have come.
 */
function untilQuiet(page: Page): () => Promise<void> {
  const underWay = new Set<Request>()
  page.on('request', (request) => void (/\/live(\?|$)/.test(request.url()) || underWay.add(request)))
  const ended = (request: Request) => void underWay.delete(request)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return async () => {
    do await setTimeout(500)
    while (underWay.size > 0)
  }
}
