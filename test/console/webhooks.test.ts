/** A webhook as a developer sets it up and watches it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('webhooks in the console', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let receiver: Receiver
  before(async () => {
    stage = await Stage.open({ allowPrivateNetworks: true })
    receiver = await Receiver.start()
  })
  after(async () => {
    await receiver?.[Symbol.asyncDispose]()
    await stage?.close()
  })

  test('a webhook is made, shows the request and the answer of a failed attempt, and is sent again', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/webhooks`, { as: developer })
    const { page } = visit
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByLabel('Selected events').check()
    await dialog.getByLabel('email.sent', { exact: true }).check()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByRole('heading', { name: 'Verify the signature' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])

    receiver.answer = () => ({ status: 503, body: '<h1>closed</h1>' })
    await page.getByRole('tab', { name: 'Attempts' }).click()
    await stage.send({ subject: 'Told to a webhook' })
    const failed = page.getByRole('article', { name: 'email.sent, attempt 1' })
    await failed.getByText('answered with 503').waitFor()
    await page.getByText('Failing').waitFor()
    await failed.getByRole('button', { name: 'Details' }).click()
    await failed.getByText('<h1>closed</h1>').waitFor()
    await failed.getByText('Told to a webhook').waitFor()
    assert.deepEqual(await visit.barriers(), [])

    receiver.answer = () => 200
    await failed.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('answered with 200').waitFor()
    // What is chosen stands in the address.
    await page.getByText('Failed', { exact: true }).click()
    await page.waitForURL(/result=failed/)
    await page.reload()
    await page.getByText('answered with 503').first().waitFor()

    await page.getByRole('tab', { name: 'Test' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText(/^Answered with 200 after/).waitFor()
    assert.deepEqual(await visit.barriers(), [])

    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  })

  test('an attempt about one recipient names the address', async (t) => {
    receiver.answer = () => 200
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const { page } = await stage.visit(t, `/c/${stage.company.id}/webhooks`, { as: developer })
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByLabel('Selected events').check()
    await dialog.getByLabel('email.delivered', { exact: true }).check()
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByRole('tab', { name: 'Attempts' }).click()
    await stage.send({ to: 'reader@named.test' })
    const told = page.getByRole('article', { name: 'email.delivered, attempt 1' })
    await told.getByText('reader@named.test, ').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove webhook' }).click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  })

  test('on a phone in dark mode, for a viewer', async (t) => {
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const options = { as: viewer, viewport: PHONE, colorScheme: 'dark' } as const
    const visit = await stage.visit(t, `/c/${stage.company.id}/webhooks`, options)
    await visit.page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    assert.equal(await visit.page.getByRole('button', { name: 'Add webhook' }).count(), 0)
    assert.deepEqual(await visit.barriers(), [])
  })
})
