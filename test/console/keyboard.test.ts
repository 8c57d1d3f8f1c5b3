/** The main ways through the console with the keys alone. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'
import { Visit } from './visit.ts'

const PASSWORD = 'marmalade on the violin'
/** More than any page has before its content. */
const MAX_STEPS = 80

const focus = (page: Page, wanted: Locator) => wanted.and(page.locator(':focus'))

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor()
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if ((await focus(page, wanted).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not lead to ${wanted}`)
}

async function fillIn(page: Page, wanted: Locator, text: string): Promise<void> {
  await tabTo(page, wanted)
  await page.keyboard.type(text)
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await focus(page, page.getByLabel('Find a page, object or action')).waitFor()
  await page.keyboard.type(words)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

describe('the console without a mouse', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('signs in, lists, opens and retries emails, and goes on from the palette', async (t) => {
    const owner = await stage.person({ [stage.company.id]: 'owner' })
    const later = new Date(Date.now() + 86_400_000).toISOString()
    const older = await stage.send({ subject: 'Older', scheduled_at: later })
    const newer = await stage.send({ subject: 'Newer', scheduled_at: later })
    const visit = await Visit.begin(t, stage.browser, stage.service.url)
    visit.expect(/status of (401|403) .* at \S+\/console\/api\/(session|account)/)
    const { page } = visit
    await page.goto(await stage.link(owner))
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    await command(page, 'account')
    await fillIn(page, page.getByLabel('New password'), PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Change password' }).waitFor()
    await command(page, 'sign out')

    await page.getByRole('heading', { name: 'Sign in to Postroad' }).waitFor()
    await fillIn(page, page.getByLabel('Email address'), owner.address!)
    await fillIn(page, page.getByRole('textbox', { name: 'Password' }), PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await command(page, 'emails')
    const row = (id: string) => page.locator(`[data-email="${id}"]`)
    await row(newer).waitFor()

    await page.keyboard.press('j')
    await page.locator(`[data-email="${newer}"][data-selected]`).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('region', { name: 'Selected rows' }).getByText('1 selected').waitFor()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Retry 1 email now?' })
    await focus(page, dialog.getByRole('button', { name: 'Retry' })).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('1 of 1. 1 email retried.').waitFor()
    await tabTo(page, dialog.getByRole('button', { name: 'Done' }))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row(newer).filter({ hasText: 'Captured' }).waitFor()

    await tabTo(page, row(older))
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/emails/${older}`)
    const status = page.getByRole('status', { name: 'Status' })
    await status.getByText('Scheduled', { exact: true }).waitFor()
    await page.keyboard.press('r')
    await status.getByText('Captured', { exact: true }).waitFor()
    await page.keyboard.press('k')
    await page.waitForURL(`**/emails/${newer}`)
    await command(page, 'suppressions')
    await focus(page, page.getByRole('heading', { name: 'Suppressions', level: 1 })).waitFor()
  })

  test('an action whose button goes leaves the focus beside it', async (t) => {
    const later = new Date(Date.now() + 86_400_000).toISOString()
    const id = await stage.send({ to: 'ada@kept.test', scheduled_at: later })
    const visit = await stage.visit(t, `/c/${stage.company.id}/overview`)
    const { page } = visit
    const row = page.getByRole('row').filter({ hasText: 'kept.test' })
    await tabTo(page, row.getByRole('button', { name: 'Pause' }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Pause mail of Acme to kept.test?' })
    await focus(page, dialog.getByLabel('How long')).waitFor()
    await fillIn(page, dialog.getByLabel('Reason'), 'Their support works on it')
    await page.keyboard.press('Enter')
    await focus(page, row.getByRole('button', { name: 'Resume' })).waitFor()
    await page.keyboard.press('Enter')
    await focus(page, row.getByRole('button', { name: 'Pause' })).waitFor()

    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${id}`)
    await tabTo(page, page.getByRole('button', { name: 'Send now' }))
    await page.keyboard.press('Enter')
    await page.getByRole('status', { name: 'Status' }).getByText('Captured').first().waitFor()
    await focus(page, page.getByRole('heading', { name: 'Hello', level: 1 })).waitFor()
  })

  test('adds, imports, chooses and removes suppressions, and goes from a chart to its emails', async (t) => {
    const { page } = await stage.visit(t, `/c/${stage.company.id}/suppressions`)
    const dialog = page.getByRole('dialog')
    await tabTo(page, page.getByRole('button', { name: 'Add', exact: true }))
    await page.keyboard.press('Enter')
    await focus(page, dialog.getByLabel('Address')).waitFor()
    await page.keyboard.type('added@keys.test')
    await page.keyboard.press('Enter')
    await page.getByText('1 entry', { exact: true }).waitFor()

    await tabTo(page, page.getByRole('button', { name: 'Import' }))
    await page.keyboard.press('Enter')
    await tabTo(page, dialog.getByRole('button', { name: 'File' }))
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
    const buffer = Buffer.from(Array.from({ length: 90 }, (_, nth) => `p${nth}@keys.test`).join('\n'))
    await chooser.setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer })
    await tabTo(page, dialog.getByRole('button', { name: 'Import' }))
    await page.keyboard.press('Enter')
    await dialog.getByText('Imported: list.csv').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('91 entries', { exact: true }).waitFor()

    await tabTo(page, page.getByRole('checkbox').first())
    await page.keyboard.press('Space')
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await page.keyboard.press('a')
    await focus(page, bar.getByRole('button', { name: 'Remove' })).waitFor()
    await page.keyboard.press('Shift+Tab')
    await focus(page, bar.getByRole('button', { name: 'Select all that match' })).waitFor()
    await page.keyboard.press('Enter')
    await bar.getByText('91 selected').waitFor()
    await page.keyboard.press('Delete')
    const remove = dialog.getByRole('button', { name: 'Remove 91 entries' })
    await tabTo(page, remove)
    await page.keyboard.press('Enter')
    await tabTo(page, dialog.getByRole('button', { name: 'Done' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor()

    await command(page, 'overview')
    await tabTo(page, page.getByRole('button', { name: 'Delivery: show the numbers', exact: true }))
    await page.keyboard.press('Enter')
    const numbers = page.getByRole('region', { name: 'Delivery: numbers' })
    await tabTo(page, numbers.getByRole('link').first())
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/emails\?since=.*&until=/)
  })

  test('a dialog gives the focus back, however it was opened', async (t) => {
    const later = new Date(Date.now() + 86_400_000).toISOString()
    const id = await stage.send({ subject: 'To delete', scheduled_at: later })
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`)
    const { page } = visit
    const row = page.locator(`[data-email="${id}"]`)
    await row.waitFor()
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' })
    await tabTo(page, link)

    const field = page.getByLabel('Find a page, object or action')
    await page.keyboard.press('Control+k')
    await focus(page, field).waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await focus(page, link).waitFor()

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await focus(page, link).waitFor()

    const choice = page.getByRole('checkbox', { name: 'Select To delete,' })
    await choice.check()
    await page.getByRole('region', { name: 'Selected rows' }).getByText('1 selected').waitFor()
    await tabTo(page, choice)
    await page.keyboard.press('Delete')
    const question = page.getByRole('dialog', { name: 'Delete 1 email?' })
    await focus(page, question.getByRole('button', { name: 'Cancel' })).waitFor()
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    await focus(page, choice).waitFor()

    await command(page, 'add domain')
    const added = page.getByRole('dialog', { name: 'Add a domain' })
    await added.waitFor()
    await page.keyboard.press('Escape')
    await added.waitFor({ state: 'detached' })
    await focus(page, page.getByRole('heading', { name: 'Domains', level: 1 })).waitFor()
    const button = page.getByRole('button', { name: 'Add domain' })
    await tabTo(page, button)
    await command(page, 'add domain')
    await added.waitFor()
    await page.keyboard.press('Escape')
    await focus(page, button).waitFor()
  })
})
