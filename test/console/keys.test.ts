/** API keys as people make and use them: the copied snippets are run. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../../harness/free-port.ts'
import { STARTTLS } from '../submission/rig.ts'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

const run = promisify(execFile)

describe('API keys', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let at: string
  before(async () => {
    const port = await freePort()
    stage = await Stage.open({
      submission: [{ ...STARTTLS, port }],
    })
    at = `/c/${stage.company.id}/keys`
  })
  after(() => stage?.close())

  test('a developer makes one, sends with its snippet, and revokes it', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const permissions = ['clipboard-read', 'clipboard-write']
    const visit = await stage.visit(t, at, { as: developer, permissions })
    const { page } = visit
    await page.getByRole('button', { name: 'Create API key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Shop')
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Copy the key now').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Copy the API key' }).click()
    const token = await page.evaluate<string>('navigator.clipboard.readText()')
    for (const client of ['curl', 'curl-form', 'smtp-curl']) {
      await dialog.getByLabel('Client').selectOption(client)
      const before = await emails()
      const snippet = dialog.locator('[data-snippet-file] pre')
      await run('/bin/sh', ['-c', await snippet.innerText()])
      assert.equal(await emails(), before + 1, client)
    }
    // It is shown this once: a slip of the hand does not take it away.
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(token))

    const row = page.getByRole('row', { name: /^Shop/ })
    await page.getByRole('button', { name: 'Actions for key Shop' }).click()
    await page.getByRole('menuitem', { name: 'Rename...' }).click()
    await dialog.getByLabel('Name').fill('Shop of Acme')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('row', { name: /Shop of Acme/ }).waitFor()
    await page.getByRole('button', { name: 'Actions for key Shop of Acme' }).click()
    await page.getByRole('menuitem', { name: 'Revoke...' }).click()
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await sendWith(token)).status, 401)
    await page.getByRole('tab', { name: 'Revoked and expired' }).click()
    await page
      .getByRole('row', { name: /Shop of Acme/ })
      .getByText('Revoked')
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('a developer rotates one: the new token is shown once, and the old key works until it expires', async (t) => {
    const { id, token } = await stage.service.key(stage.company.id, { name: 'Turning' })
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, at, { as: developer })
    const { page } = visit
    await page.getByRole('button', { name: 'Actions for key Turning' }).click()
    await page.getByRole('menuitem', { name: 'Rotate...' }).click()
    const dialog = page.getByRole('dialog')
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByLabel('The old key expires').selectOption('In a day')
    await dialog.getByRole('button', { name: 'Rotate key' }).click()
    await dialog.getByText('The old key works until').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('row', { name: /^Turning/ }).count(), 2)
    assert.equal((await sendWith(token)).status, 200)
    const { keys } = await stage.service.store.accounts()
    assert.notEqual(keys.find((key) => key.id === id)?.expiresAt, null)
  })

  test('the page shows how to send, by client, at an address of its own', async (t) => {
    const options = { viewport: PHONE, colorScheme: 'dark' } as const
    const visit = await stage.visit(t, `${at}?show=snippets&client=django`, options)
    const { page } = visit
    await page.getByText('anymail.backends.mailgun.EmailBackend').waitFor()
    await page.getByText(`"MAILGUN_API_URL": "${stage.service.url}/v3"`).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByLabel('Client', { exact: true }).selectOption('smtp-curl')
    await page.waitForURL(/client=smtp-curl/)
    await page
      .getByRole('row', { name: /Encryption/ })
      .getByText('none')
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('the form shows a refusal, and a viewer is offered no action', async (t) => {
    const visit = await stage.visit(t, `${at}?add=true`)
    visit.expect(/status of 422/)
    const { page } = visit
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('k')
    await dialog.getByPlaceholder('10.0.0.0/8').fill('nowhere')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('alert').filter({ hasText: '"nowhere"' }).waitFor()

    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const other = await stage.visit(t, at, { as: viewer })
    await other.page.getByRole('tab', { name: 'Keys', exact: true }).waitFor()
    await other.page.getByRole('table').waitFor()
    assert.equal(await other.page.getByRole('button', { name: /Create|Actions/ }).count(), 0)
  })

  async function emails(): Promise<number> {
    return (await stage.service.store.listEmails({ companyId: stage.company.id, limit: 100 })).length
  }

  function sendWith(token: string): Promise<Response> {
    return fetch(`${stage.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: `a@${stage.domain}`, to: 'b@x.test', subject: 's', text: 't' }),
    })
  }
})
