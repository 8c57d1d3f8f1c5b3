/** The list of suppressions as people keep it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { suppression } from '../store/samples.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('suppressions in the console', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('an address is added, found and removed', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/suppressions`)
    const { page } = visit
    await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill('gone@find.test')
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Suppress' }).click()
    await page.getByRole('checkbox', { name: 'Select gone@find.test' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByLabel('Search by the start of an address').fill('other')
    await page.getByRole('heading', { name: 'No matching addresses' }).waitFor()
    await page.getByLabel('Search by the start of an address').fill('gon')
    await page.waitForURL(/term=gon/)
    await page.getByRole('button', { name: 'Remove gone@find.test' }).click()
    await page.getByText('each bounce harms the reputation of your domain').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Remove from the list' }).click()
    await page.getByRole('heading', { name: 'No matching addresses' }).waitFor()
  })

  test('an entry says which domains it stops mail from, and the list of one domain is shown', async (t) => {
    const { store } = stage.service
    const { id: companyId } = stage.company
    const letters = await stage.service.domain(companyId, 'letters.test')
    await store.addSuppressions([
      suppression(stage.company, 'gone@scope.test', { type: 'bounce', domainId: letters.id }),
      suppression(stage.company, 'hand@scope.test'),
    ])
    const visit = await stage.visit(t, `/c/${companyId}/suppressions`)
    const { page } = visit
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill('out@scope.test')
    await dialog.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'Unsubscribed' }).click()
    await dialog.getByRole('combobox', { name: 'Stops mail from' }).click()
    await page.getByRole('option', { name: 'letters.test' }).click()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Suppress' }).click()
    const cells = async (address: string) =>
      (await page.getByRole('row', { name: address }).getByRole('cell').nth(2).innerText()).split(/\s*\n\s*/)
    await page.getByText('3 entries').waitFor()
    assert.deepEqual(await cells('out@scope.test'), ['letters.test'])
    assert.deepEqual(await cells('gone@scope.test'), ['All domains', 'Bounced from letters.test'])
    assert.deepEqual(await cells('hand@scope.test'), ['All domains'])
    await page.getByRole('combobox', { name: 'Domain' }).click()
    await page.getByRole('option', { name: 'letters.test' }).click()
    await page.waitForURL(/domain=letters\.test/)
    await page.getByText('2 entries').waitFor()
    assert.equal(await page.getByText('hand@scope.test').count(), 0)
    assert.deepEqual(await visit.barriers(), [])
    const waiting = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export' }).click()
    const csv = await readFile(await (await waiting).path(), 'utf8')
    assert.deepEqual(csv.match(/[a-z]+@scope\.test/g)?.sort(), ['gone@scope.test', 'out@scope.test'])
    await store.removeSuppressions({ companyId })
  })

  test('entries are chosen and removed together', async (t) => {
    const { store } = stage.service
    await store.addSuppressions(
      ['one', 'two', 'three'].map((name) => suppression(stage.company, `${name}@chosen.test`)),
    )
    const visit = await stage.visit(t, `/c/${stage.company.id}/suppressions`)
    const { page } = visit
    await page.getByText('3 entries').waitFor()
    await page.getByRole('checkbox', { name: 'Select one@chosen.test' }).click()
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await bar.getByText('1 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all that match' }).click()
    await bar.getByText('3 selected').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await store.removeSuppressions({ companyId: stage.company.id, address: 'two@chosen.test' })
    await bar.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove 3 entries from the list?' })
    await dialog.getByRole('button', { name: 'Remove 3 entries' }).click()
    await dialog.getByText('3 of 3. 2 removed. 1 could not be changed.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor()
  })

  test('a file of 10,000 lines is imported, its bad lines are shown, and the list is exported again', async (t) => {
    const options = { viewport: PHONE, colorScheme: 'dark' } as const
    const visit = await stage.visit(t, `/c/${stage.company.id}/suppressions`, options)
    const { page } = visit
    const lines = Array.from({ length: 10_000 }, (_, nth) => {
      if (nth % 1_000 === 999) return `=nobody ${nth},"one, ""two"""`
      return `person${nth}@many.test,"a reason,\nof two lines"`
    })
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Choose a CSV file').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    const file = dialog.locator('input[type=file]')
    const buffer = Buffer.from(`Email,Reason\r\n${lines.join('\r\n')}\r\n`)
    await file.setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer })
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText('Imported: list.csv').waitFor({ timeout: 60_000 })
    await dialog.getByText('100%: 9,990 added, 0 already on the list, 10 invalid').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    // In pieces, so that progress is real.
    const pieces = visit.asked.filter((url) => url.endsWith('/suppressions/import'))
    assert.ok(pieces.length > 10, `${pieces.length} pieces`)

    const [report] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download invalid lines' }).click(),
    ])
    const bad = parse(await readFile(await report.path(), 'utf8'), { columns: true }) as Record<
      string,
      string
    >[]
    assert.equal(bad.length, 10)
    // Records of two lines lie before it, and the names of the columns.
    assert.deepEqual([bad[0]!.line, bad[0]!.content?.slice(0, 12)], ['2000', "'=nobody 999"])

    await dialog.getByRole('button', { name: 'Done' }).click()
    const [exported] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ])
    assert.equal(exported.suggestedFilename(), 'suppressions.csv')
    const rows = parse(await readFile(await exported.path(), 'utf8'), { columns: true }) as {
      address: string
      reason: string
    }[]
    assert.equal(rows.length, 9_990)
    assert.ok(rows.every(({ reason }) => /^a reason,\s+of two lines$/.test(reason)))
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.waitForURL(/after=/)
    await page.getByRole('link', { name: 'Previous page' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('a long address stays in its column, and the box before it in its place', async (t) => {
    const long = `${'many.names.'.repeat(5)}titles@${'label.'.repeat(12)}example`
    const { store } = stage.service
    const createdAt = Date.now()
    const addresses = [long, 'short@place.test']
    await store.addSuppressions(addresses.map((each) => suppression(stage.company, each, { createdAt })))
    const { page } = await stage.visit(t, `/c/${stage.company.id}/suppressions`)
    const edges = async (address: string) => {
      const cells = page.getByRole('row').filter({ hasText: address }).getByRole('cell')
      const [box, text, type] = await Promise.all([
        cells.first().getByRole('checkbox').boundingBox(),
        cells.first().getByText(address).boundingBox(),
        cells.nth(1).boundingBox(),
      ])
      assert.ok(text!.x + text!.width <= type!.x, address)
      return box!.x
    }
    assert.equal(await edges(long), await edges('short@place.test'))
  })
})
