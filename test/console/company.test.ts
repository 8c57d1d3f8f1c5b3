/** The settings of a company, as its owner changes them in a browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { NO_LIMITS } from '../../src/accounts/account.ts'
import { pictureSize } from '../../src/accounts/company-logo.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'

/** A picture in one colour (PNG 5.3, 11.2). */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  const line = Buffer.from([0, ...Array.from({ length: width }, () => [20, 120, 90]).flat()])
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))],
  ])
}

describe('the settings of a company', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('have a logo, which stands beside the name until it is removed', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: owner })
    const { page } = visit
    const section = page.getByRole('region', { name: 'Name and logo' })
    await section.getByText('No logo').waitFor()
    const choose = async (name: string, mimeType: string, buffer: Buffer) => {
      const chosen = page.waitForEvent('filechooser')
      await section.getByRole('button', { name: 'Choose a picture...' }).click()
      await (await chosen).setFiles({ name, mimeType, buffer })
    }
    await choose('a.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    await page.getByText('Choose a PNG, JPEG or WebP file.').waitFor()
    await choose('wide.png', 'image/png', png(1_024, 512))
    await section.locator('img').waitFor()
    // In the menu as well, without a reload.
    await page.locator('nav, [class*=AppShell-navbar]').locator('img').first().waitFor()
    const shown = await page.evaluate<number>("document.querySelector('main img').naturalWidth")
    assert.equal(shown, 256)
    const logo = (await stage.service.store.findLogo(stage.company.id))!
    assert.deepEqual(pictureSize(logo.octets), { type: 'image/png', width: 256, height: 128 })
    assert.deepEqual(await visit.barriers(), [])
    await section.getByRole('button', { name: 'Remove logo' }).click()
    await section.getByText('No logo').waitFor()
    assert.equal(await stage.service.store.findLogo(stage.company.id), null)
  })

  test('have a name, which its owner changes', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: owner })
    const { page } = visit
    await page.getByRole('button', { name: 'Rename...' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rename company' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme & Sons')
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('region', { name: 'Name and logo' }).getByText('Acme & Sons').waitFor()
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/audit`)
    await page.getByText('renamed the company').first().waitFor()
  })

  test('have limits, which an operator changes and takes away again', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/settings`)
    const { page } = visit
    const table = page.getByRole('table', { name: 'Limits of the company' })
    const limitOf = (what: RegExp, limit: string) =>
      table.getByRole('row', { name: what }).getByRole('cell', { name: limit, exact: true }).waitFor()
    await limitOf(/today/, 'No limit')
    const dialog = page.getByRole('dialog', { name: 'Limits of the company' })
    await page.getByRole('button', { name: 'Change limits...' }).click()
    await dialog.getByRole('textbox', { name: 'Recipients a day (UTC)' }).fill('12000')
    await dialog.getByRole('textbox', { name: 'Webhooks' }).fill('7')
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await limitOf(/today/, '12,000')
    await limitOf(/Webhooks/, '7')
    const { limits } = (await stage.service.store.accounts()).companies.find(
      ({ id }) => id === stage.company.id,
    )!
    assert.deepEqual(limits, { ...NO_LIMITS, daily: 12_000, webhooks: 7 })

    await page.getByRole('button', { name: 'Change limits...' }).click()
    await dialog.getByRole('textbox', { name: 'Recipients a day (UTC)' }).fill('')
    await dialog.getByRole('textbox', { name: 'Webhooks' }).fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await limitOf(/today/, 'No limit')
    await limitOf(/Webhooks/, '100')
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/audit`)
    await page.getByText('changed the limits of').first().waitFor()
  })

  test('are shown to all people of the company, and changed by its owners', async (t) => {
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: viewer })
    await page.getByRole('table', { name: 'Limits of the company' }).getByText('Webhooks').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Choose a picture...' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Change limits...' }).count(), 0)
  })

  test('do not change the page or its filters when another company is chosen', async (t) => {
    const { company, service } = stage
    await service.company('Beta')
    const visit = await stage.visit(t, `/c/${company.id}/overview?span=week`)
    const { page } = visit
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'Company' }).click()
      await page.getByRole('option', { name }).click()
    }
    await choose('All companies')
    await page.waitForURL(/\/c\/all\/overview\?span=week$/)
    await page.goto(`${service.url}/console/c/${company.id}/suppressions?type=bounce&after=x`)
    await choose('Beta')
    await page.waitForURL(/\/suppressions\?type=bounce$/)
    // Of all companies together there are no settings.
    await page.goto(`${service.url}/console/c/${company.id}/settings`)
    await choose('All companies')
    await page.waitForURL(/\/c\/all\/emails$/)
    // An email belongs to one company.
    await page.goto(`${service.url}/console/c/${company.id}/emails/${await stage.send()}`)
    await choose('Beta')
    await page.waitForURL(/\/emails$/)
  })
})
