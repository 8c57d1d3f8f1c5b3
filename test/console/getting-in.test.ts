/** From the link that the first start prints to the inbox. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { Visit } from './visit.ts'

describe('the link that signs in', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('opens the inbox, and works once', async (t) => {
    const link = await stage.link(stage.operator)
    const { page } = await Visit.begin(t, stage.browser, stage.service.url)
    await page.goto(link)
    await page.waitForURL(`**/console/c/${stage.company.id}/emails`)
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    // Neither the address bar nor the history keep it.
    assert.ok(!page.url().includes('token'))
    await page.goBack()
    assert.ok(!page.url().includes('token'))

    const other = await Visit.begin(t, stage.browser, stage.service.url)
    other.expect(/status of 404 .* at \S+\/console\/api\/session\/link$/)
    await other.page.goto(link)
    await other.page.getByText('This link was used before or has ended').waitFor()
  })
})
