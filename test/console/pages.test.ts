/** Every page, in both schemes and on a phone: it is shown, is accessible, and fits. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { PAGES, type Shown, SIGNED_OUT, shownOn } from './pages.ts'
import { Stage } from './stage.ts'
import type { Look } from './tab.ts'
import { PHONE, settled, type Visit } from './visit.ts'

/**
 * The first is what a visit begins with. The scheme changes while the page is open, which needs no document of its own: pages that
 * are loaded in the dark are those of `team.test.ts`, `keys.test.ts` and `emails.test.ts`. A phone loads the page.
 */
const LOOKS: readonly Look[] = [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: PHONE }]

const folder = new URL('../../console/src/pages/', import.meta.url)

test('every page has its row', () => {
  assert.deepEqual(Object.keys(PAGES).toSorted(), readdirSync(folder).toSorted())
})

describe('every page', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let shown: Shown
  before(async () => {
    stage = await Stage.open()
    shown = await shownOn(stage)
  })
  after(() => stage?.close())

  /** Pixels that reach beyond the side of the screen, so that all of the page moves sideways. */
  const overhang = ({ page }: Visit) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  for (const name of Object.keys(PAGES)) {
    test(`${name} in light, in dark and on a phone`, async (t) => {
      const as = SIGNED_OUT.includes(name) ? null : stage.operator
      const visit = await stage.visit(t, PAGES[name]!(shown), { as })
      for (const [index, look] of LOOKS.entries()) {
        if (look.colorScheme === 'dark') await visit.changeScheme('dark')
        else if (index > 0) await visit.reloadWith(look)
        // With the answers to all of its requests.
        await settled(visit.page)
        const title = await visit.page.getByRole('heading', { level: 1 }).textContent()
        assert.notEqual(title, 'Page not found')
        assert.deepEqual(await visit.barriers(), [], JSON.stringify(look))
        assert.equal(await overhang(visit), 0, JSON.stringify(look))
      }
    })
  }
})
