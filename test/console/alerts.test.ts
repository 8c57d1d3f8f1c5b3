/** People choose in the console which alerts they get by mail, and companies choose a URL for theirs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'

describe('alerts', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open({ systemFrom: 'postroad@ops.test' })
  })
  after(() => stage?.close())

  test('by mail are chosen by kind; only operators choose those of the installation', async (t) => {
    const { page } = await stage.visit(t, '/account')
    const form = page.getByRole('region', { name: 'Told by mail' })
    await form.getByLabel('The installation').check()
    await form.getByLabel('Webhooks').check()
    await form.getByRole('button', { name: 'Save' }).click()
    const chosen = async () => (await stage.service.store.findPerson({ id: stage.operator.id }))!.alerts
    await until(async () => (await chosen()).length === 2, 'the choice in the store')
    assert.deepEqual(await chosen(), ['installation', 'webhooks'])

    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page: other } = await stage.visit(t, '/account', { as: viewer })
    const theirs = other.getByRole('region', { name: 'Told by mail' })
    await theirs.getByLabel('Domains').waitFor()
    assert.equal(await theirs.getByLabel('The installation').count(), 0)
  })

  test('at a URL of the company become a webhook; viewers see the host alone', async (t) => {
    const developer = await stage.person({ [stage.company.id]: 'developer' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: developer })
    const { page } = visit
    visit.expect(/status of 422 .*\/webhooks$/)
    const section = page.getByRole('region', { name: 'Problem notices' })
    await section.getByText('No URL receives notices yet. People choose mail about problems').waitFor()
    await section.getByRole('button', { name: 'Add URL...' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tell a URL of problems' })
    await dialog.getByRole('textbox', { name: 'URL' }).fill('ftp://hooks.acme.test/secret')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText(/ftp:\/\/hooks\.acme\.test/).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('textbox', { name: 'URL' }).fill('https://hooks.acme.test/secret')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: 'Send test' }).waitFor()
    const [webhook] = await stage.service.store.webhooks({ companyId: stage.company.id })
    assert.deepEqual(webhook!.types, ['problem.started', 'problem.ended'])
    // A webhook for all events gets them as well.
    await stage.service.store.updateWebhook(webhook!.id, { types: [] })

    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page: other } = await stage.visit(t, `/c/${stage.company.id}/settings`, { as: viewer })
    const theirs = other.getByRole('region', { name: 'Problem notices' })
    await theirs.getByRole('link', { name: 'https://hooks.acme.test/…' }).waitFor()
    assert.equal(await theirs.getByRole('button', { name: 'Add URL...' }).count(), 0)
  })

  test('are not offered by mail by an installation that sends none; operators see the setting', async (t) => {
    const quiet = await Stage.open({ delivery: { kind: 'direct' } })
    t.after(() => quiet.close())
    const owner = await quiet.person({ [quiet.company.id]: 'owner' })
    for (const [as, isShown] of [
      [quiet.operator, true],
      [owner, false],
    ] as const) {
      const { page } = await quiet.visit(t, `/c/${quiet.company.id}/settings`, { as })
      const section = page.getByRole('region', { name: 'Problem notices' })
      await section.getByText('No URL receives notices yet.').waitFor()
      assert.equal(await section.getByText('If POSTROAD_SYSTEM_FROM is set').count(), isShown ? 1 : 0)
      assert.equal(await section.getByText('People choose mail').count(), 0)
      await page.goto(`${quiet.service.url}/console/c/${quiet.company.id}/team`)
      await page
        .getByText('Pass the link on yourself. Postroad mails it')
        .or(page.getByText('Postroad does not mail the link'))
        .waitFor()
      assert.equal(await page.getByText('POSTROAD_SYSTEM_FROM').count(), isShown ? 1 : 0)
    }
  })
})
