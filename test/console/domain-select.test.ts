/** Wherever one of the domains is chosen: of a company with more than are listed, any can be. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'

const MANY = 120
/** The oldest of them, which no list of the newest has. */
const OLDEST = 'oldest.example'
const UNICODE = 'xn--mnchen-3ya.example'

describe('selects of domains', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
    const { service, company } = stage
    const first = await service.domain(company.id, OLDEST)
    const { createdAt } = await service.domain(company.id, UNICODE)
    for (let n = 0; n < MANY; n++) {
      await service.store.addDomain({
        ...first,
        ...{ id: `${first.id.slice(0, -4)}${String(n).padStart(4, '0')}`, name: `d${n}.example` },
        ...{ createdAt: createdAt + 1 + n, dkim: [] },
      })
    }
    await service.app.refreshAccounts()
  })
  after(() => stage?.close())

  const at = (page: string) => `/c/${stage.company.id}/${page}`

  async function choose(field: Locator, typed = 'OLDEST', name = OLDEST): Promise<void> {
    const page = field.page()
    await field.click()
    await page.getByRole('option', { name: /more: type to search/ }).waitFor()
    assert.equal(await page.getByRole('option', { name }).count(), 0)
    await field.fill(typed)
    await page.getByRole('option', { name }).click()
  }

  test('a key is made for the oldest of many, found by its name', async (t) => {
    const { page } = await stage.visit(t, at('keys'))
    await page.getByRole('button', { name: 'Create API key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('narrow')
    await choose(dialog.getByRole('combobox', { name: 'Domain' }))
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Copy the key now').waitFor()
    const { keys, domains } = await stage.service.store.accounts()
    const made = keys.find(({ name }) => name === 'narrow')!
    assert.equal(domains.find(({ id }) => id === made.domainId)?.name, OLDEST)
  })

  test('a webhook gets only events about mail of the chosen domain', async (t) => {
    const { page } = await stage.visit(t, at('webhooks'))
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill('https://hooks.example.com/mail')
    await choose(dialog.getByRole('combobox', { name: 'Domain' }), 'München', UNICODE)
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText(`for ${UNICODE}`).waitFor()
  })

  test('a test message is from it', async (t) => {
    const { page } = await stage.visit(t, at('start'))
    await choose(page.getByRole('combobox', { name: 'From' }))
    await page.getByText(`hello@${OLDEST}`).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .getByRole('link', { name: /email|message/i })
      .first()
      .waitFor()
  })
})
