/** Addresses that lead nowhere: each page names the missing object, and leads back. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('pages that do not exist', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let at: string
  /** Another company, to which its people do not belong. */
  let other: { company: string; domain: string }
  before(async () => {
    stage = await Stage.open()
    at = `/c/${stage.company.id}`
    const { id: company } = await stage.service.company('Elsewhere')
    other = { company, domain: (await stage.service.domain(company, 'elsewhere.example')).id }
  })
  after(() => stage?.close())

  const main = (page: Page) => page.getByRole('main')
  const back = (page: Page) => main(page).getByRole('link').allTextContents()

  test('an email, a domain or a webhook that does not exist, or belongs to another company', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, `${at}/emails`, { as: developer })
    const { page } = visit
    visit.expect(/status of 404/)
    const things = [
      ['email', 'emails', randomUUIDv7(), 'Emails'],
      ['domain', 'domains', other.domain, 'Domains'],
      ['webhook', 'webhooks', randomUUIDv7(), 'Webhooks'],
    ] as const
    for (const [kind, list, id, label] of things) {
      await page.goto(`${stage.service.url}/console${at}/${list}/${id}`)
      const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found`
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await main(page).getByText(`There is no ${kind} ${id} in ${stage.company.name}.`).waitFor()
      assert.deepEqual(await back(page), [label, 'Overview'])
      assert.equal(await page.title(), `${title} - Postroad`)
      assert.deepEqual(await visit.barriers(), [])
      await main(page).getByRole('link', { name: label }).click()
      await page.getByRole('heading', { name: label, level: 1 }).waitFor()
    }
  })

  test('a page, on its own or below a list', async (t) => {
    const visit = await stage.visit(t, `${at}/keys/nothing/here`, { viewport: PHONE, colorScheme: 'dark' })
    const { page } = visit
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await main(page).getByText(`There is no page at ${at}/keys/nothing/here.`).waitFor()
    assert.deepEqual(await back(page), ['API keys', 'Overview'])
    assert.deepEqual(await visit.barriers(), [])
    await main(page).getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
    await page.goto(`${stage.service.url}/console/nowhere`)
    await main(page).getByText('There is no page at /nowhere.').waitFor()
    assert.deepEqual(await back(page), ['Overview'])
    await main(page).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  })

  test('a company of others, until the person belongs to it', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, `/c/${other.company}/domains`, { as: developer })
    const { page } = visit
    await page.getByRole('heading', { name: 'Company not found' }).waitFor()
    await main(page).getByText(`You belong to no company ${other.company}.`).waitFor()
    assert.equal(await page.getByText('elsewhere.example').count(), 0)
    assert.deepEqual(await visit.barriers(), [])
    await main(page).getByRole('link', { name: 'Overview' }).click()
    await page.waitForURL(new RegExp(`${at}/overview`))
    await stage.service.store.setMembership(developer.id, other.company, 'viewer')
    await page.goto(`${stage.service.url}/console/c/${other.company}/domains`)
    await page.getByRole('link', { name: 'elsewhere.example' }).waitFor()
  })
})
