/** A domain, from its name to what may send, as a person goes through it: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

/** Ms: the page looks at DNS every 15 s. */
const NEXT_LOOK = 40_000

describe('domains', { skip: withoutBrowser() }, () => {
  let dns: FakeDns
  let stage: Stage
  let at: string
  before(async () => {
    dns = await startDns({})
    stage = await Stage.open({ dnsServers: [dns.address], hostname: 'mail.service.test' })
    at = `/c/${stage.company.id}/domains`
  })
  after(async () => {
    await stage?.close()
    await dns?.close()
  })
  beforeEach(() => {
    for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  })

  const record = (page: Page, kind: string) =>
    page.getByRole('region', { name: new RegExp(`^${kind} record`) })
  async function texts(page: Page, kind: string): Promise<{ name: string; value: string }> {
    const of = (what: string) => record(page, kind).locator(`[data-record-${what}]`).innerText()
    return { name: await of('name'), value: await of('value') }
  }
  /** What was copied last. */
  const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')
  async function add(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add domain' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.getByLabel('Domain').fill(name)
    await dialog.getByRole('button', { name: 'Add domain' }).click()
  }

  test('a newcomer adds one, publishes what is shown, and sees it verified without a reload', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, at, {
      as: developer,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page } = visit
    await add(page, 'https://Shop.example/')
    await page.getByRole('heading', { name: 'shop.example', level: 1 }).waitFor()
    await page.getByText('Waiting for DNS').waitFor()
    await page.getByText('0 of 1 required record found').waitFor()
    await record(page, 'DKIM').getByText('Not found yet').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    let loads = 0
    page.on('load', () => loads++)

    const dkim = await texts(page, 'DKIM')
    await record(page, 'DKIM').getByRole('button', { name: 'Copy the value of the DKIM record' }).click()
    assert.equal(await copied(page), dkim.value)
    dns.zone[`${dkim.name}/TXT`] = [dkim.value]
    const spf = await texts(page, 'SPF')
    dns.zone[`${spf.name}/TXT`] = ['v=spf1 include:_spf.other.test -all', 'other-verification=1']
    dns.zone['_dmarc.shop.example/TXT'] = ['v=DMARC1; p=quarantine']
    await page.getByText('shop.example is verified').waitFor({ timeout: NEXT_LOOK })
    await record(page, 'DKIM').getByText('Found', { exact: true }).waitFor()
    // What stands there beside what is wanted, what it means, and what to do.
    const found = record(page, 'SPF')
    await found.getByText('v=spf1 include:_spf.other.test -all', { exact: true }).waitFor()
    await found
      .getByText('v=spf1 a:mail.service.test include:_spf.other.test -all', { exact: true })
      .waitFor()
    await found.getByText('1 TXT record for other purposes').waitFor()
    await record(page, 'DMARC').getByText('goes to the spam folder').waitFor()
    assert.equal(loads, 0)
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('main').getByRole('link', { name: 'Domains' }).click()
    await page
      .getByRole('row', { name: /shop\.example/ })
      .getByText('Verified')
      .waitFor()
  })

  test('names are shown as the provider wants them, and all records can be copied as a zone file', async (t) => {
    const { page } = await stage.visit(t, at, { permissions: ['clipboard-read', 'clipboard-write'] })
    await add(page, 'mail.zone.example')
    const full = await texts(page, 'DKIM')
    await page.getByLabel('Record names').selectOption('Without zone.example')
    const short = await texts(page, 'DKIM')
    assert.equal(`${short.name}.zone.example`, full.name)
    await page.getByRole('button', { name: 'Copy as zone file' }).click()
    const zone = await copied(page)
    assert.equal(zone.split('\n').length, 3)
    assert.ok(zone.startsWith(`${full.name}. IN TXT "`))
    // Entered in full where the provider adds the zone.
    dns.zone[`${full.name}.zone.example/TXT`] = [full.value]
    await page.getByRole('button', { name: 'Check now' }).click()
    await record(page, 'DKIM').getByText(`Enter ${short.name} as the name there`).waitFor()
  })

  test('who only looks sees how it stands, and is offered nothing that would be refused', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'looked.example', 'suspended')
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await stage.visit(t, `${at}/${domain.id}`, { as: viewer })
    await page.getByText('Sending is suspended').waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('region', { name: 'Delivery route' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Suspend|Remove|Save|relay/ }).count(), 0)
    await page.goto(`${stage.service.url}/console${at}`)
    await page.getByRole('link', { name: 'looked.example' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add domain' }).count(), 0)
  })

  test('an operator suspends it, lets it send, gives it a relay, and removes it by its name', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'ruled.example')
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=settings`)
    const { page } = visit
    await page.getByRole('button', { name: 'Suspend sending' }).click()
    await page.getByRole('button', { name: 'End suspension' }).click()
    await page.getByText('Sending, not verified').waitFor()
    await page.getByRole('button', { name: 'Set a relay' }).click()
    const relay = page.getByRole('dialog', { name: 'Relay for ruled.example' })
    await relay.getByLabel('Relay').fill('http://relay.test')
    visit.expect(/status of 422 .*\/relay$/)
    await relay.getByRole('button', { name: 'Use this relay' }).click()
    await relay.getByText('This route is not allowed').waitFor()
    await relay.getByLabel('Relay').fill('smtp://user@relay.test:2525')
    await relay.getByRole('textbox', { name: 'Password' }).fill('a secret')
    await relay.getByRole('button', { name: 'Use this relay' }).click()
    await page.getByText('Through the relay').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Remove ruled.example' }).click()
    const removal = page.getByRole('dialog', { name: 'Remove ruled.example?' })
    const remove = removal.getByRole('button', { name: 'Remove domain' })
    assert.ok(await remove.isDisabled())
    await removal.getByLabel('Type ruled.example to confirm').fill('ruled.example')
    await remove.click()
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'ruled.example' }).waitFor({ state: 'detached' })
  })

  test('DKIM keys are changed for others', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'signed.example')
    const visit = await stage.visit(t, `${at}/${domain.id}?tab=dkim`, {
      viewport: PHONE,
      colorScheme: 'dark',
    })
    const { page } = visit
    const first = domain.dkim[0]!.selector
    await page.getByRole('button', { name: 'Add a key' }).click()
    await page.getByRole('dialog').getByLabel('Selector').fill('next')
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('row', { name: /next/ }).getByText('Not in use').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    const act = async (selector: string, action: string) => {
      await page.getByRole('button', { name: `Actions for key ${selector}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    visit.expect(/status of 409/)
    await act(first, 'Deactivate')
    await page.getByText('It is the only key that signs').waitFor()
    await act('next', 'Activate')
    await page.getByRole('row', { name: /next/ }).getByText('Signs mail').waitFor()
    await act(first, 'Deactivate')
    await page
      .getByRole('row', { name: new RegExp(first) })
      .getByText('Not in use')
      .waitFor()
    await act(first, 'Remove')
    await page.getByRole('row', { name: new RegExp(first) }).waitFor({ state: 'detached' })
    await act('next', 'Rename...')
    await page.getByRole('dialog').getByLabel('Selector').fill('s2')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('row', { name: /s2/ }).waitFor()
  })
})
