/** SMTP as the console explains it: without a login in capture mode, and with the setting that turns it on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { freePort } from '../../harness/free-port.ts'
import { STARTTLS } from '../submission/rig.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('SMTP without a login', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let port: number
  before(async () => {
    port = await freePort()
    stage = await Stage.open({ submission: [{ ...STARTTLS, port, withoutLogin: true }] })
  })
  after(() => stage?.close())

  test('is named by the empty inbox, in which a message with any From appears', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`)
    const { page } = visit
    await page.getByText(`host 127.0.0.1, port ${port}, without encryption, user or password`).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await createTransport({ host: '127.0.0.1', port }).sendMail({
      from: 'Laravel <hello@example.com>',
      to: 'you@example.org',
      subject: 'From a new application',
      text: 'Hello',
    })
    await page.getByText('From a new application').waitFor()
  })

  test('is used by the snippets of that company; the snippets of other companies log in', async (t) => {
    const other = await stage.service.company('Other')
    const { page } = await stage.visit(t, `/c/${stage.company.id}/keys?show=snippets&client=smtp-python`)
    const snippet = page.locator('[data-snippet-file] pre')
    await snippet.filter({ hasText: `smtplib.SMTP("127.0.0.1", ${port})` }).waitFor()
    assert.doesNotMatch(await snippet.innerText(), /login/)
    await page.goto(`${stage.service.url}/console/c/${other.id}/keys?show=snippets&client=smtp-python`)
    await snippet.filter({ hasText: 'smtp.login("api", "YOUR_API_KEY")' }).waitFor()
  })
})

describe('SMTP that is off', { skip: withoutBrowser() }, () => {
  test('is turned on by the setting that the empty inbox and the snippets show', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const setting = 'POSTROAD_SUBMISSION_LISTEN=smtp://127.0.0.1:1026?login=off'
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`, { viewport: PHONE })
    const { page } = visit
    await page.getByRole('alert').filter({ hasText: 'SMTP is off' }).getByText(setting).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/keys?show=snippets&client=laravel`)
    await page.getByText(setting).waitFor()
    await page.locator('[data-snippet-file] pre').filter({ hasText: 'MAIL_PORT=1026' }).waitFor()
    await page.getByLabel('Client', { exact: true }).selectOption('curl')
    await page.getByText(setting).waitFor({ state: 'detached' })
  })
})
