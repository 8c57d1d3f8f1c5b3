/** The first five minutes: a message of one's own, and what those see who may not send one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startDns } from '../../harness/dns.ts'
import type { Company } from '../../src/accounts/account.ts'
import { startApp } from '../../src/app.ts'
import { createLogger } from '../../src/log.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('getting started', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let empty: Company
  before(async () => {
    stage = await Stage.open()
    empty = await stage.service.company('Empty')
  })
  after(() => stage?.close())

  test('a person sends a test message from the page, which shows its outcome', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/start`)
    const { page } = visit
    const step = page.getByRole('listitem').filter({ hasText: 'Test message' })
    await step.getByText('Next', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'To' }).fill('me@example.test')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const sent = page.getByRole('status').filter({ hasText: 'Accepted and stored' })
    await sent.getByText('Captured').waitFor()
    await step.getByText('The latest email is "Hello from Postroad", to me@example.test.').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await sent.getByRole('link', { name: 'View the email' }).click()
    await page.getByRole('heading', { name: 'Hello from Postroad', level: 1 }).waitFor()
  })

  test('a company without a domain is led to one, and another company has a form of its own', async (t) => {
    const visit = await stage.visit(t, `/c/${empty.id}/start`, { viewport: PHONE })
    const { page } = visit
    const domain = page.getByLabel('Domain', { exact: true })
    await domain.waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
    assert.deepEqual(await visit.barriers(), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await domain.fill('of its own')
    visit.expect(/status of 422 .*\/domains$/)
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('is not a domain name').waitFor()
    await domain.fill('https://www.acme-shop.example/')
    await page.getByText('The domain will be acme-shop.example.').waitFor()
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/start`)
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
    await page.getByText('Add the domain that you send mail from').waitFor()
    const name = page.getByRole('listitem').filter({ hasText: 'Reverse DNS (PTR)' })
    await name.getByText('No mail leaves this machine in capture mode.').waitFor()
    await page.getByRole('link', { name: 'Add domain' }).click()
    await page.getByRole('dialog', { name: 'Add a domain' }).getByLabel('Domain').waitFor()
  })

  test('a viewer is offered no forbidden action', async (t) => {
    const viewer = await stage.person({ [empty.id]: 'viewer' })
    const { page } = await stage.visit(t, `/c/${empty.id}/start`, { as: viewer })
    await page.getByText('As a viewer you can see mail').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Your domain' }).getByText('To do').waitFor()
    assert.equal(await page.getByRole('textbox').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
    await page.goto(`${stage.service.url}/console/c/${empty.id}/emails`)
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Send a test message' }).count(), 0)
  })
})

describe('text typed while the service restarts', { skip: withoutBrowser() }, () => {
  test('stays in forms, dialogs and the search, and goes through afterwards', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const interrupted =
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|status of 503/
    const company = `/c/${stage.company.id}`
    const open = async (path: string) => {
      const visit = await stage.visit(t, `${company}${path}`)
      visit.expect(interrupted)
      return visit.page
    }
    const first = await stage.send({ subject: 'Sought' })
    const start = await open('/start')
    await start.getByRole('textbox', { name: 'Subject' }).fill('Typed before')
    const keys = await open('/keys')
    await keys.getByRole('button', { name: 'Create API key' }).first().click()
    await keys.getByRole('dialog').getByLabel('Name').fill('half written')
    const emails = await open('/emails')
    await emails.locator(`[data-email="${first}"]`).waitFor()

    await stage.service.stop()
    await emails.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    const search = emails.getByRole('combobox', { name: 'Search emails' })
    await search.fill('sought')
    // The service does not answer: the list stays as it was.
    await emails.locator(`[data-email="${first}"]`).waitFor()
    await start.getByRole('textbox', { name: 'Text' }).fill('Typed while nobody answered')

    const { hostname, port } = new URL(stage.service.url)
    const listen = { host: hostname, port: Number(port) }
    const app = await startApp({ ...stage.service.settings, listen }, createLogger('silent'))
    t.after(() => app.close())
    await emails.waitForURL(/q=sought$/)
    await emails.locator(`[data-email="${first}"]`).waitFor()
    assert.equal(await search.inputValue(), 'sought')

    await start.getByRole('button', { name: 'Send', exact: true }).click()
    await start.getByRole('status').filter({ hasText: 'Captured' }).waitFor()
    assert.equal(await start.getByRole('textbox', { name: 'Subject' }).inputValue(), 'Typed before')
    assert.equal(await keys.getByRole('dialog').getByLabel('Name').inputValue(), 'half written')
    await keys.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await keys
      .getByText(/pr_\w+/)
      .first()
      .waitFor()
  })
})

describe('the domain of a new company', { skip: withoutBrowser() }, () => {
  test('gives way to another one while its records are missing', async (t) => {
    const dns = await startDns({})
    t.after(() => dns.close())
    const stage = await Stage.open({ delivery: { kind: 'direct' }, dnsServers: [dns.address] })
    t.after(() => stage.close())
    const { id } = await stage.service.company('Shop')
    const visit = await stage.visit(t, `/c/${id}/start`)
    const { page } = visit
    await page.getByLabel('Domain', { exact: true }).fill('https://www.acme-shop.example/')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('Sign in to the DNS provider of acme-shop.example').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Use another domain...' }).click()
    const asked = page.getByRole('dialog', { name: 'Remove acme-shop.example?' })
    await asked.getByRole('button', { name: 'Remove domain' }).click()
    await page.getByLabel('Domain', { exact: true }).fill('other.example')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByText('Sign in to the DNS provider of other.example').waitFor()
  })
})
