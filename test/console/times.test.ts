/** Times relative to now, by the clock of the browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'

describe('relative times', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('are right after a page without times, and as soon as a hidden page is looked at again', async (t) => {
    const id = await stage.send()
    const visit = await stage.visit(t, '/sign-in', { as: null, ownTab: true })
    const { page } = visit
    await page.clock.install({ time: Date.now() + 70 * 60_000 })
    await visit.context.addCookies([await stage.sessionCookie(stage.operator)])
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails`)
    const time = page.locator(`[data-email="${id}"] time`)
    await time.filter({ hasText: '1 hr ago' }).waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await pages.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await page.clock.fastForward('02:00:00')
    assert.equal(await page.locator('time').count(), 0)
    await pages.getByRole('link', { name: 'Emails' }).click()
    await time.waitFor()
    assert.equal(await time.textContent(), '3 hr ago')

    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    await page.clock.fastForward('08:00:00')
    assert.equal(await time.textContent(), '3 hr ago')
    await hide(false)
    assert.equal(await time.textContent(), '11 hr ago')
  })
})
