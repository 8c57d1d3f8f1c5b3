/** Mail that came back, as people look through it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { inboundMail } from '../store/contract/inbound-mails.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

describe('returned mail in the console', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('a mail is found, explained and downloaded; the words of strangers are shown as text', async (t) => {
    const { store } = stage.service
    const emailId = await stage.send()
    const finding = {
      ...{ address: 'gone@rcpt.test', action: 'failed', status: '5.1.1', reply: 550, permanent: true },
      ...({ category: 'address_unknown', message: `User unknown ${HOSTILE}` } as const),
    }
    const mails = [
      inboundMail({ emailId, refused: 'unproven', findings: [finding], subject: `Undelivered ${HOSTILE}` }),
      inboundMail({ emailId, refused: 'kept', kind: 'auto_reply', subject: 'Out of office' }),
    ]
    await store.keepInboundMails(mails.map((mail) => ({ mail, reports: [] })))
    const visit = await stage.visit(t, `/c/${stage.company.id}/returned`)
    const { page } = visit
    await page.getByRole('button', { name: 'Out of office' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('combobox', { name: 'Outcome' }).click()
    await page.getByRole('option', { name: 'Not trusted' }).click()
    await page.waitForURL(/outcome=unproven/)
    await page.getByRole('button', { name: 'Out of office' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Undelivered ${HOSTILE}` }).click()
    const dialog = page.getByRole('dialog', { name: 'Bounce' })
    await dialog.getByText('nothing proves that its sender handled the email').waitFor()
    await dialog.getByText(`User unknown ${HOSTILE}`).waitFor()
    assert.equal(await page.locator('img[src="x"]').count(), 0)
    assert.deepEqual(await visit.barriers(), [])
    const download = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'Download the message' }).click()
    const file = await download
    assert.equal(file.suggestedFilename(), `${mails[0]!.id}.eml`)
    assert.deepEqual(await readFile(await file.path()), Buffer.from(mails[0]!.raw))
  })

  test('a mail whose message is not kept says so in place of the download', async (t) => {
    const { store } = stage.service
    const emailId = await stage.send()
    const subject = 'Returned invitation'
    const mail = inboundMail({ emailId, refused: 'unproven', subject, raw: new Uint8Array(), size: 4_000 })
    await store.keepInboundMails([{ mail, reports: [] }])
    const { page } = await stage.visit(t, `/c/${stage.company.id}/returned`)
    await page.getByRole('button', { name: subject }).click()
    const dialog = page.getByRole('dialog', { name: 'Bounce' })
    await dialog.getByText('The message is not kept').waitFor()
    assert.equal(await dialog.getByRole('link', { name: 'Download the message' }).count(), 0)
  })

  test('the page of an email leads to the mail that came back about it, and to no other', async (t) => {
    const { store } = stage.service
    const [emailId, other] = [await stage.send(), await stage.send()]
    const mails = [
      inboundMail({ emailId, refused: 'kept', kind: 'auto_reply', subject: 'Away until Monday' }),
      inboundMail({ emailId: other, refused: 'kept', kind: 'auto_reply', subject: 'Another answer' }),
    ]
    await store.keepInboundMails(mails.map((mail) => ({ mail, reports: [] })))
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails/${emailId}`)
    const { page } = visit
    await page.getByText('Automatic reply:').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('link', { name: 'View returned mail' }).click()
    await page.getByRole('button', { name: 'Away until Monday' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Another answer' }).count(), 0)
  })

  test('an empty list explains which mail arrives there, on a phone too', async (t) => {
    const other = await stage.service.company('Nobody wrote')
    const visit = await stage.visit(t, `/c/${other.id}/returned`, { viewport: PHONE, colorScheme: 'dark' })
    await visit.page.getByRole('heading', { name: 'Nothing has come back yet' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })
})
