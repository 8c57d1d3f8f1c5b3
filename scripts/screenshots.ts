/**
 * npm run screenshots: takes every page of the console in light, dark and at the width of a phone, as it looks with mail of some hours,
 * into console/screenshots or the folder that is named.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES, SIGNED_OUT, shownOn } from '../test/console/pages.ts'
import { Stage } from '../test/console/stage.ts'
import { settled } from '../test/console/visit.ts'

const SIZES = {
  light: { viewport: { width: 1_440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} as const

/** Recipients at `simulator.test` are told what their names say. */
const MAIL = [
  ['Ada Lovelace <ada@analytical.example>', 'Your receipt for order 4711', 'receipt'],
  ['grace@navy.example', 'Reset your password', 'account'],
  ['Ludwig Müller <ludwig@muenchen.example>', 'Willkommen! Bitte bestätigen Sie Ihre Adresse', 'welcome'],
  ['bounced@simulator.test', 'Invoice 2026-118 is due', 'invoice'],
  ['complained@simulator.test', 'What is new this month', 'newsletter'],
  ['suppressed@simulator.test', 'Your weekly report', 'report'],
  ['yuki@tokyo.example', 'ご注文ありがとうございます', 'receipt'],
  ['team@one.example, lead@two.example', 'Deployment of api-gateway finished', 'alerts'],
] as const

const HTML =
  '<body style="font-family:sans-serif"><h1>Thank you for your order</h1><p>It leaves our store today.</p>' +
  '<p><a href="https://shop.example/orders/4711">Follow it</a></p></body>'

const [folder = join(import.meta.dirname, '..', 'console', 'screenshots')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const stage = await Stage.open()
try {
  for (let round = 0; round < 4; round++) {
    for (const [to, subject, kind] of MAIL) {
      const tags = [{ name: 'kind', value: kind }]
      await stage.send({ to: to.split(', '), subject, html: HTML, text: 'It leaves our store today.', tags })
    }
  }
  const shown = await shownOn(stage)
  for (const [size, options] of Object.entries(SIZES)) {
    for (const [name, path] of Object.entries(PAGES)) {
      const context = await stage.browser.newContext({ ...options, reducedMotion: 'reduce' })
      if (!SIGNED_OUT.includes(name)) await context.addCookies([await stage.sessionCookie(stage.operator)])
      const page = await context.newPage()
      await page.goto(`${stage.service.url}/console${path(shown)}`)
      await settled(page)
      await page.screenshot({ path: join(folder, `${name}-${size}.png`), fullPage: size === 'phone' })
      await context.close()
    }
  }
  process.stdout.write(`${Object.keys(PAGES).length * Object.keys(SIZES).length} pictures in ${folder}\n`)
} finally {
  await stage.close()
}
