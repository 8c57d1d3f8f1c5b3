/** People choose in the console what they are told of by mail. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'

describe('being told by mail', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open({ systemFrom: 'postroad@ops.test' })
  })
  after(() => stage?.close())

  test('is chosen by kind; only operators choose the installation', async (t) => {
    const { page } = await stage.visit(t, '/account')
    const form = page.getByRole('region', { name: 'Told by mail' })
    await form.getByLabel('The installation').check()
    await form.getByLabel('Webhooks').check()
    await form.getByRole('button', { name: 'Save' }).click()
    const chosen = async () => (await stage.service.store.findPerson({ id: stage.operator.id }))!.alerts
    await until(async () => (await chosen()).length === 2, 'the choice in the store')
    assert.deepEqual(await chosen(), ['installation', 'webhooks'])

    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page: other } = await stage.visit(t, '/account', { as: viewer })
    const theirs = other.getByRole('region', { name: 'Told by mail' })
    await theirs.getByLabel('Domains').waitFor()
    assert.equal(await theirs.getByLabel('The installation').count(), 0)
  })
})
