/** A domain that moves its DKIM keys into the operator's zone, as a person sees it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { withoutBrowser } from '../support/browser.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { Stage } from './stage.ts'

const ZONE = 'dkim.service.test'

describe('DKIM by CNAME records', { skip: withoutBrowser() }, () => {
  let dns: FakeDns
  let stage: Stage
  before(async () => {
    dns = await startDns({})
    stage = await Stage.open({ dnsServers: [dns.address], hostname: 'mail.service.test', dkimZone: ZONE })
  })
  after(async () => {
    await stage?.close()
    await dns?.close()
  })

  test('the page moves a domain, shows the records to publish, and names the missing link', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'moving.example')
    const names = { ...SERVICE_NAMES, dkimZone: ZONE }
    for (const { kind, type, name, value } of dnsRecords(domain, names)) {
      if (kind === 'dkim') dns.zone[`${name}/${type}`] = [value]
    }
    const visit = await stage.visit(t, `/c/${stage.company.id}/domains/${domain.id}?tab=keys`)
    const { page } = visit
    await page.getByRole('tab', { name: 'DKIM keys' }).click()
    await page.getByRole('button', { name: 'Move to CNAME records' }).click()
    const next = page.getByRole('region', { name: 'The next key waits for its record in DNS' })
    await next.getByText('Only the CNAME record below has to be in DNS').waitFor()
    await next.getByText(`There is no CNAME record at pr1._domainkey.moving.example.`).waitFor()
    const row = page.getByRole('row', { name: /^pr2 / })
    await row.getByText('In reserve').waitFor()
    assert.deepEqual(await visit.barriers(), [])

    const moved = (await stage.service.store.findDomain(domain.id))!
    const [, first, second] = dnsRecords(moved, names)
    for (const record of [first!, second!]) dns.zone[`${record.name}/CNAME`] = [record.value]
    await page.getByRole('button', { name: 'Check now' }).click()
    await next.getByText('The CNAME record is right, but not the record that it leads to.').waitFor()
    await next.locator('[data-found]').getByText(first!.value).waitFor()
    await page.getByRole('tab', { name: 'Records' }).click()
    await page
      .getByRole('region', { name: /^DKIM record pr2\./ })
      .getByText('Reserve key')
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])

    dns.zone[`${first!.value}/TXT`] = [first!.target!]
    await page.getByRole('tab', { name: 'DKIM keys' }).click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await next.getByText('Found', { exact: true }).waitFor()
    const key = (await stage.service.store.findDomain(domain.id))!.dkim[1]!
    assert.deepEqual([key.active, key.rotation?.stage], [false, 'next'], 'it waits an hour')
  })
})
