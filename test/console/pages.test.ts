/** Every page there is, in both schemes and on a phone: it stands there, keeps nobody out, and fits. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { PAGES, type Shown, SIGNED_OUT, shownOn } from './pages.ts'
import { Stage } from './stage.ts'
import { PHONE, settled, type Visit, type VisitOptions } from './visit.ts'

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

  /** With everything that it has asked for. */
  async function open(t: TestContext, name: string, options: VisitOptions): Promise<Visit> {
    const as = SIGNED_OUT.includes(name) ? null : stage.operator
    const visit = await stage.visit(t, PAGES[name]!(shown), { ...options, as })
    await settled(visit.page)
    const title = await visit.page.getByRole('heading', { level: 1 }).textContent()
    assert.notEqual(title, 'Page not found')
    return visit
  }

  /** Pixels that reach beyond the side of the screen, so that all of the page moves sideways. */
  const overhang = ({ page }: Visit) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  for (const name of Object.keys(PAGES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`${name} in ${colorScheme}`, async (t) => {
        const visit = await open(t, name, { colorScheme })
        assert.deepEqual(await visit.barriers(), [])
        assert.equal(await overhang(visit), 0)
      })
    }

    test(`${name} on a phone`, async (t) => {
      const visit = await open(t, name, { viewport: PHONE })
      assert.deepEqual(await visit.barriers(), [])
      assert.equal(await overhang(visit), 0)
    })
  }
})
