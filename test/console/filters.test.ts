/** The filters above lists, which are part of a page's address. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'

describe('the filters above a list', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let emailId: string
  before(async () => {
    stage = await Stage.open()
    emailId = await stage.send()
  })
  after(() => stage?.close())

  test('lead operators from the requests of a company to those with an unknown key', async (t) => {
    const headers = { authorization: 'Bearer re_a_wrong_key', 'content-type': 'application/json' }
    const refused = await fetch(`${stage.service.url}/emails`, { method: 'POST', headers, body: '{}' })
    assert.equal(refused.status, 401)
    // The log is written a moment later.
    await until(
      async () =>
        (await stage.service.store.apiRequests({ companyId: null, status: 401, limit: 1 })).length > 0,
      'the log',
    )
    const visit = await stage.visit(t, `/c/${stage.company.id}/requests`)
    const { page } = visit
    const line = page.getByText(/^A request with an unknown key was refused/)
    await line.waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await line.getByRole('link', { name: 'View' }).click()
    await page.getByRole('cell', { name: 'Unknown key' }).waitFor()
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const { page: theirs } = await stage.visit(t, `/c/${stage.company.id}/requests`, { as: owner })
    await theirs.getByRole('button', { name: 'POST /emails' }).waitFor()
    assert.equal(await theirs.getByText('with an unknown key').count(), 0)
  })

  test('are cleared together with the typed text', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/requests`)
    const { page } = visit
    const row = page.getByRole('button', { name: 'POST /emails' })
    await row.waitFor()
    const endpoint = page.getByRole('textbox', { name: 'Endpoint' })
    await endpoint.fill('/domains')
    await page.waitForURL(/endpoint=/)
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
    await row.waitFor()
    assert.equal(await endpoint.inputValue(), '')
    assert.equal(new URL(page.url()).search, '')

    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByRole('dialog').getByRole('option').first().click()
    await page.waitForURL(/key=/)
    await row.click()
    const dialog = page.getByRole('dialog', { name: 'POST /emails' })
    await dialog.getByText(/answered in \d+ ms/).waitFor()
    // A link to it opens it, whatever the list shows.
    await page.goto(page.url().replace(/key=[^&]*/, 'endpoint=%2Fdomains'))
    await page.getByText('No matching requests').waitFor()
    await dialog.getByText(/answered in \d+ ms/).waitFor()
    await page.goBack()
    await dialog.getByRole('link', { name: 'The accepted email' }).click()
    await page.waitForURL(`**/emails/${emailId}`)
    await row.waitFor({ state: 'detached' })
    await page.goBack()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL((url) => url.search === '')

    await page.getByLabel('From').fill('2020-01-01')
    await page.waitForURL(/from=2020-01-01/)
    await row.waitFor()
    assert.deepEqual(await visit.barriers(), [])

    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/suppressions`)
    const address = page.getByRole('textbox', { name: 'Search by the start of an address' })
    await address.fill('nobody')
    await page.waitForURL(/term=nobody/)
    await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL((url) => !url.search.includes('term'))
    assert.equal(await address.inputValue(), '')
  })
})
