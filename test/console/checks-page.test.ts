/** The checks of an email, in the browser that runs them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'

describe('the checks of an email', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('say what to fix, and list the features that mail programs do not support', async (t) => {
    const id = await stage.send({
      subject: 'Checked',
      html:
        '<style>p{display:flex}</style><p>Hi <a href="http://127.0.0.1:9/x">you</a><img src="https://a.example/x.png"></p>' +
        `<a href="https://a.example/${'long/'.repeat(60)}">there</a>`,
    })
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails/${id}?tab=checks`)
    const { page } = visit
    await page.getByText('1 of 1 images have no alt text.').waitFor()
    await page.getByRole('rowheader', { name: 'display:flex' }).waitFor()
    await page
      .getByText(/Outlook \(.*Windows/)
      .first()
      .waitFor()
    const room = await page.evaluate<number>('innerWidth - document.documentElement.scrollWidth')
    assert.ok(room >= 0, 'a long address makes the page wider')
    await page.getByRole('button', { name: 'Check links and images' }).click()
    await page.getByText('refused').first().waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })
})
