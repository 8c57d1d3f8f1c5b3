/** Emails that were found are exported while the person goes on. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { fromBuffer } from 'yauzl'
import { messageName } from '../../console/src/pages/emails/export-content.ts'
import type { EmailListItem } from '../../console/src/pages/emails/merge.ts'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

/** By name. The library refuses names that would leave their folder. */
async function filesIn(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
  fromBuffer(archive, { lazyEntries: true, autoClose: false }, (error, zip) => {
    if (error) return reject(error)
    zip.on('error', reject)
    zip.on('end', () => resolve(files))
    zip.on('entry', (entry) => {
      zip.openReadStream(entry, async (fault, stream) => {
        if (fault) return reject(fault)
        files.set(entry.fileName, await text(stream))
        zip.readEntry()
      })
    })
    zip.readEntry()
  })
  return await promise
}

test('the name of a message is one of a file, whatever its subject', () => {
  const named = (subject: string) =>
    messageName({ id: 'ID', createdAt: '2026-11-28T17:12:15.045Z', subject } as EmailListItem)
  assert.equal(named('Your order: 4711/a'), '2026-11-28 171215 Your order 4711 a ID.eml')
  assert.equal(named('../../etc/passwd\0\n'), '2026-11-28 171215 etc passwd ID.eml')
  assert.equal(named('⁧<>'), '2026-11-28 171215 ID.eml')
  assert.equal(named(''), '2026-11-28 171215 ID.eml')
  assert.ok(named('😀é'.repeat(100)).length < 100)
})

/** Longer than in a row of the list. */
const SUBJECT = `Invoice ${'1234567890'.repeat(40)}`

/** More than a row of the list has, and one longer than there. */
const TAGS = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
  name: `tag${n}`,
  value: n === 1 ? 'x'.repeat(200) : `${n}`,
}))

describe('an export', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('has all messages that were found, beyond the page that it was begun on', async (t) => {
    const ids: string[] = []
    for (const n of [1, 2, 3, 4, 5, 6]) {
      ids.push(await stage.send({ subject: `Parcel ${n}`, text: `Content ${n}` }))
    }
    await stage.send({ subject: 'Another' })
    const { store } = stage.service
    await until(async () => {
      const found = await store.summaries(ids, 1)
      return found.every(({ lastEvent }) => lastEvent === 'delivered')
    }, 'the mail to be captured')
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails?q=parcel`, { viewport: PHONE })
    const { page } = visit
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Messages (.eml in a ZIP)' }).click()
    await page.getByText('6 emails saved as emails.zip.').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    const files = await filesIn(await readFile(await (await saved).path()))
    assert.equal(files.size, 6)
    for (const [index, id] of ids.entries()) {
      const [name, message] = [...files].find(([each]) => each.endsWith(`${id}.eml`))!
      assert.match(name, new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d{6} Parcel ${index + 1} `))
      assert.match(message, new RegExp(`^Subject: Parcel ${index + 1}\r$`, 'm'))
      assert.match(message, new RegExp(`Content ${index + 1}`))
    }
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('saved as emails.zip').waitFor({ state: 'detached' })
  })

  test('as a table says why mail was refused, whether the address is dead, and nothing shortened', async (t) => {
    const sent = {
      gone: await stage.send({ subject: 'Invoice', to: 'bounced@simulator.test' }),
      well: await stage.send({ subject: SUBJECT, to: 'delivered@simulator.test', tags: TAGS }),
    }
    const { store } = stage.service
    await until(async () => {
      const found = await store.summaries(Object.values(sent), 1)
      return found.every(({ lastEvent }) => lastEvent === 'bounced' || lastEvent === 'delivered')
    }, 'the mail to end')
    const { page } = await stage.visit(t, `/c/${stage.company.id}/emails?q=invoice`)
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Table (CSV)' }).click(),
    ])
    const rows = parse(await readFile(await file.path(), 'utf8'), { columns: true }) as Record<
      string,
      string
    >[]
    const told = new Map(
      rows.map(({ id, last_event, reason, permanent }) => [id, [last_event, reason, permanent]]),
    )
    assert.deepEqual(told.get(sent.gone), ['bounced', 'address_unknown', 'true'])
    assert.deepEqual(told.get(sent.well), ['delivered', '', ''])
    const subjects = new Map(rows.map((row) => [row.id, row.subject]))
    assert.equal(subjects.get(sent.well), SUBJECT)
    assert.equal(subjects.get(sent.gone), 'Invoice')
    const tags = new Map(rows.map((row) => [row.id, row.tags]))
    assert.equal(tags.get(sent.well), TAGS.map(({ name, value }) => `${name}:${value}`).join(' '))
    assert.equal(tags.get(sent.gone), '')
  })

  test('continues while the person visits another page, survives a busy server, and can be stopped', async (t) => {
    await stage.send({ subject: 'Slow letter' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails?q=slow`)
    visit.expect(/status of 503/)
    const { page } = visit
    let asked = 0
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(/source\.eml/, async (route) => {
      asked++
      if (asked === 1) return await route.fulfill({ status: 503, body: '{}' })
      await held
      await route.abort()
    })
    const start = async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'Messages (.eml in a ZIP)' }).click()
    }
    await start()
    await page.getByText('Export: 0 of 1 email.').waitFor()
    await until(async () => asked >= 2, 'the message to be asked for again')
    await start()
    await page.getByText('Another export is under way.').waitFor()
    await page.getByRole('link', { name: 'Domains' }).click()
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
    await page.getByText('Export: 0 of 1 email.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('The export was stopped.').waitFor()
    release()
  })
})
