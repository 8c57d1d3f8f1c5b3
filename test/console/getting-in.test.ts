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
    const { page } = await Visit.begin(t, stage.browser, stage.service.url, { ownTab: true })
    await page.goto(link)
    await page.waitForURL(`**/console/c/${stage.company.id}/emails`)
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    // Neither the address bar nor the history keep it.
    assert.ok(!page.url().includes('token'))
    await page.goBack()
    assert.ok(!page.url().includes('token'))

    const other = await Visit.begin(t, stage.browser, stage.service.url, { ownTab: true })
    other.expect(/status of 404 .* at \S+\/console\/api\/session\/link\/read$/)
    await other.page.goto(link)
    await other.page.getByText('This link was already used or has expired').waitFor()
  })

  test('asks before it ends the session of another person', async (t) => {
    const [ada, eve] = [await stage.person({}), await stage.person({ [stage.company.id]: 'viewer' })]
    await stage.service.store.setMembership(ada.id, stage.company.id, 'viewer')
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`, { as: ada })
    const { page } = visit
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    const link = await stage.link(eve)
    const whoAmI = async () => {
      await page.goto(`${stage.service.url}/console/account`)
      return await page.getByLabel('Email address').inputValue()
    }
    for (const [button, address] of [
      ['Stay signed in', ada.address],
      ['Sign in as the other person', eve.address],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByText(`You are signed in as ${ada.address}`).waitFor()
      assert.deepEqual(await visit.barriers(), [])
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
      assert.equal(await whoAmI(), address)
    }
  })
})
