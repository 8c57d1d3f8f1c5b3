/** Menus and lists of choices while they are open: accessible in both schemes, and used by keys. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { withoutBrowser } from '../support/browser.ts'
import { PAGES, type Shown, shownOn } from './pages.ts'
import { Stage } from './stage.ts'
import { PHONE, settled } from './visit.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const choices = (name: string) => (page: Page) => page.getByRole('combobox', { name })

/** Where they have their menus. */
const AT: typeof PAGES = {
  emails: (shown) => `${PAGES.emails!(shown)}?q=hello`,
  domain: (shown) => `${PAGES.domain!(shown)}?tab=dkim`,
  team: () => '/c/all/team',
}

/** By page, what opens each of its menus. */
const MENUS: Readonly<Record<string, readonly ((page: Page) => Locator)[]>> = {
  emails: [
    (page) => button(page, 'Olga Operator'),
    choices('Company'),
    ...['Export', 'Views', 'Status', 'Time', 'Tag', 'Search help'].map(
      (name) => (page: Page) => button(page, name).first(),
    ),
  ],
  keys: [(page) => button(page, /^Actions for key /).first()],
  domain: [(page) => button(page, /^Actions for key /).first()],
  team: [(page) => button(page, /^Actions for /).first()],
  audit: [choices('Action')],
}

describe('open menus', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let shown: Shown
  before(async () => {
    stage = await Stage.open()
    shown = await shownOn(stage)
  })
  after(() => stage?.close())

  for (const [name, openers] of Object.entries(MENUS)) {
    test(`of ${name} have no barriers, in light and in dark`, async (t) => {
      const visit = await stage.visit(t, AT[name]?.(shown) ?? PAGES[name]!(shown))
      const { page } = visit
      await settled(page)
      for (const opener of openers) {
        const opened = page
          .locator('[role="menu"], [role="dialog"], [role="listbox"]')
          .filter({ visible: true })
        await opener(page).click()
        await opened.first().waitFor()
        for (const scheme of ['dark', 'light'] as const) {
          await visit.changeScheme(scheme)
          assert.deepEqual(await visit.barriers(), [], `${opener(page)} in ${scheme}`)
        }
        await page.keyboard.press('Escape')
        await opened.first().waitFor({ state: 'detached' })
      }
    })
  }

  test('begin at their first item, go on with arrows and letters, and give the focus back', async (t) => {
    const { page } = await stage.visit(t, `/c/${shown.company}/keys`)
    const actions = button(page, /^Actions for key /).first()
    const item = (name: string) => page.getByRole('menuitem', { name }).and(page.locator(':focus'))
    await actions.focus()
    await page.keyboard.press('Enter')
    await item('Rename...').waitFor()
    await page.keyboard.press('ArrowDown')
    await item('Rotate...').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await item('Revoke...').waitFor()
    await page.keyboard.press('r')
    await item('Rename...').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await actions.and(page.locator(':focus')).waitFor()
  })

  test('fit a phone', async (t) => {
    const { page } = await stage.visit(t, `/c/${shown.company}/keys`, { viewport: PHONE })
    await button(page, /^Actions for key /)
      .first()
      .click()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    const { x, width } = (await menu.boundingBox())!
    assert.ok(x >= 0 && x + width <= PHONE.width, `${x} + ${width}`)
  })

  test('show each example of the search help beside its meaning on a phone', async (t) => {
    const { page } = await stage.visit(t, `/c/${shown.company}/emails`, { viewport: PHONE })
    await button(page, 'Search help').click()
    const rows = page.getByRole('dialog', { name: 'Search help' }).getByRole('row')
    await rows.filter({ hasText: 'with attachments' }).waitFor()
    for (const row of (await rows.all()).slice(1)) {
      const example = (await row.getByRole('button').boundingBox())!
      const meaning = (await row.getByRole('cell').last().boundingBox())!
      assert.ok(example.x + example.width <= meaning.x, await row.innerText())
    }
  })
})
