/** From the first message to a picture of how mail goes; and what an operator sees of the installation. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { OPERATOR } from '../../src/operate/authority.ts'
import { suspendDomain } from '../../src/operate/domains.ts'
import { operationOn } from '../../src/operate/open.ts'
import type { SiteState } from '../../src/store/store.ts'
import { email, node } from '../store/samples.ts'
import { withoutBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { DESKTOP } from './tab.ts'
import { PHONE } from './visit.ts'

describe('the overview', { skip: withoutBrowser() }, () => {
  let stage: Stage
  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  test('a newcomer sends a test message, and sees its outcome and the steps that remain before mail arrives', async (t) => {
    const { page } = await stage.visit(t, `/c/${stage.company.id}/start`)
    await page.getByRole('textbox', { name: 'To' }).fill('nobody')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Enter an address').waitFor()
    await page.getByRole('textbox', { name: 'To' }).fill('me@example.test')
    await page.getByLabel('Subject').fill('My first message')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('link', { name: 'View the email' }).waitFor()
    // The list below has looked again by itself.
    await page.getByText('The latest email is "My first message", to me@example.test.').waitFor()
    const steps = page.getByRole('list').filter({ hasText: 'Delivery route' }).getByRole('listitem')
    await steps.filter({ hasText: 'POSTROAD_DELIVERY=direct' }).waitFor()
    await steps.filter({ hasText: 'bin/postroad backup' }).waitFor()
    await page.getByRole('link', { name: 'View the email' }).click()
    await page.waitForURL('**/emails/*-*')
  })

  test('charts show their numbers on request, and save them as CSV', async (t) => {
    await stage.send({ to: 'ada@one.test' })
    await stage.send({ to: 'bounced@simulator.test' })
    await until(async () => (await stage.service.store.counts(Date.now())).sending === 0, 'their delivery')
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview?span=hour`)
    const chart = page.getByRole('region', { name: 'Delivery', exact: true })
    await chart.getByText('Captured').waitFor()
    await until(async () => /Bounced 1/.test((await chart.textContent()) ?? ''), 'the bounce in the legend')
    // Without their colors, too, no two series look the same.
    const marks = await page.evaluate<string[]>(`[...document.querySelectorAll('li canvas')].map((mark) => {
      const { data } = mark.getContext('2d').getImageData(0, 0, mark.width, mark.height)
      const isPaint = (at) => data[at + 3] > 128 && Math.min(...data.subarray(at, at + 3)) < 160
      return Array.from({ length: data.length / 4 }, (_, n) => (isPaint(4 * n) ? 'x' : ' ')).join('')
    }).slice(0, 6)`)
    assert.equal(new Set(marks).size, 6, marks.join('\n'))
    await chart.getByRole('button', { name: 'show the numbers' }).click()
    await chart.getByRole('columnheader', { name: 'Bounced' }).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      chart.getByRole('button', { name: 'save as CSV' }).click(),
    ])
    const rows = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n')
    assert.equal(rows[0], 'time,Complaints,Suppressed,Failed,Bounced,Captured,Delays')
    // A new company's chart begins with it, and has twelve points at least.
    assert.ok(rows.length >= 13 && rows.length < 61, String(rows.length))
    const bounced = rows.slice(1).map((row) => Number(row.split(',')[4]))
    assert.equal(
      bounced.reduce((sum, n) => sum + n, 0),
      1,
    )
    // No mail has left this machine.
    await page.getByRole('term').filter({ hasText: 'Captured' }).waitFor()
    await page.getByRole('region', { name: 'Time to capture' }).waitFor()
    for (const name of ['Recipient domains', 'Sending domains']) {
      const table = page.getByRole('region', { name })
      await table.getByRole('columnheader', { name: 'Captured', exact: true }).waitFor()
    }
    assert.equal(await page.getByText('Delivered', { exact: true }).count(), 0)
    await page.getByRole('region', { name: 'Where mail fails' }).getByText('simulator.test').waitFor()
    // What is counted of a receiving domain alone, at an address of its own.
    await page.getByRole('region', { name: 'Where mail fails' }).getByText('simulator.test').click()
    await page.waitForURL('**/overview?span=hour&to=simulator.test')
    await until(async () => /Captured 0/.test((await chart.textContent()) ?? ''), 'the bounce alone')
    await page.getByRole('button', { name: 'Remove the filter: To simulator.test' }).click()
    await until(async () => /Captured [1-9]/.test((await chart.textContent()) ?? ''), 'all of it')
    // Totals, legend, times and bars lead to the emails behind them.
    const emails = async (search: RegExp) => {
      await page.waitForURL(search)
      await page.locator('[data-email]').first().waitFor()
      await page.goBack()
      await chart.waitFor()
    }
    await page.getByRole('link', { name: /^Bounced: 1,/ }).click()
    await emails(/emails\?(?=.*q=event%3Abounced)(?=.*time=1h)/)
    await chart.getByRole('link', { name: 'Bounced' }).click()
    await emails(/emails\?(?=.*q=event%3Abounced)(?=.*time=1h)/)
    const plot = chart.locator('.u-over')
    const { width, height } = (await plot.boundingBox())!
    await plot.click({ position: { x: width - 4, y: height / 2 } })
    await page.waitForURL(/emails\?since=.*&until=/)
    await page.goBack()
    await chart.getByRole('button', { name: 'show the numbers' }).click()
    await chart.getByRole('table').getByRole('link').first().click()
    await page.waitForURL(/emails\?since=.*&until=/)
    await page.goBack()
    // The address says what is shown.
    await page.getByText('Week', { exact: true }).click()
    await page.waitForURL('**/overview?span=week')
    await page.getByText('Mail in the last 7 days.').waitFor()
  })

  test('an operator sees the sites with their limits and use, and why one is closed', async (t) => {
    const { store } = stage.service
    const [node] = await store.nodes()
    const big: SiteState = {
      key: 'mx:mx.big.test',
      name: 'mx.big.test',
      provider: null,
      hosts: ['mx.big.test'],
      limits: {
        sessions: 20,
        messagesPerSession: 100,
        messagesPerMinute: 60,
        messagesPerHour: null,
        recipientsPerTransaction: 100,
        tls: 'required',
        envelopeBehindDot: false,
      },
      lowered: { sessions: 10, messagesPerMinute: null },
      used: { sessions: 4, messagesLastMinute: 59, messagesLastHour: 1_234 },
      closed: {
        since: Date.now() - 3_600_000,
        reason: '554 5.7.1 blocked using zen.spamhaus.org',
        nextTryAt: Date.now() + 60_000,
        sendingDomain: null,
        ...{ kind: 'path', brief: '', metBy: null, companyId: null, company: null, recipientDomain: null },
        list: { name: 'Spamhaus', removal: 'https://check.spamhaus.org/' },
      },
      sources: [
        {
          ...{ name: '192.0.2.7', helo: 'mail7.acme.test', closed: null },
          lowered: { sessions: null, messagesPerMinute: null },
          used: { sessions: 4, messagesLastMinute: 59, messagesLastHour: 1_234 },
          warmUp: { day: 3, messages: 1_300, limit: 5_000 },
        },
      ],
    }
    await store.reportSites({ node: node!.token, at: Date.now(), sites: [big] })
    const { page } = await stage.visit(t, '/installation')
    const sites = page.getByRole('region', { name: 'Sites' })
    await sites
      .getByText('On the block list of Spamhaus. Request removal: https://check.spamhaus.org/')
      .waitFor()
    const row = sites.getByRole('row').filter({ hasText: 'mx.big.test' })
    const limits = 'Default limits: 100 messages per session, 100 recipients per message, TLS required'
    const reason = '554 5.7.1 blocked using zen.spamhaus.org'
    const warmUp = '192.0.2.7, day 3 of its warm-up: 1,300 of 5,000 messages today'
    for (const text of [limits, warmUp, '4 of 10', '59 of 60', '1,234', reason]) {
      await row.getByText(text).waitFor()
    }
    await page.setViewportSize(PHONE)
    const [card, line] = [await row.boundingBox(), await row.getByText(limits).boundingBox()]
    assert.ok(line!.width > 0.9 * card!.width, 'on a phone nothing stands beside the limits')
    await page.setViewportSize(DESKTOP)
    await row.getByRole('button', { name: 'Retry now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('Retrying 0 recipients now.').waitFor()
    await row.getByRole('button', { name: 'Pause' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause all mail to mx.big.test?' })
    await dialog.getByRole('combobox', { name: 'How long' }).click()
    await page.getByRole('option', { name: 'For 4 hours' }).click()
    await dialog.getByLabel('Reason').fill('their support works on it')
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused').waitFor()
    await row.getByText('their support works on it').waitFor()
    const pauses = page.getByRole('region', { name: 'Pauses' })
    await pauses.getByText('All mail to the site mx.big.test').waitFor()
    assert.deepEqual(
      (await store.pauses(Date.now())).map(({ companyId, domain, site }) => [companyId, domain, site?.key]),
      [[null, null, big.key]],
    )
    const [paused] = await store.pauses(Date.now())
    assert.equal(Math.round((paused!.until! - paused!.since) / 60_000), 240)
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('Paused').waitFor({ state: 'detached' })
    await pauses.getByText('All mail to the site mx.big.test').waitFor({ state: 'detached' })
    assert.equal(await sites.getByText('Google').count(), 0)
    await sites.getByRole('switch', { name: 'Show all known providers' }).click()
    await sites.getByText('Google', { exact: true }).waitFor()
  })

  test('an operator sees where mail waits and which company sent it, and pauses, resumes and retries it there', async (t) => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const id = await stage.send({ to: 'ada@stuck.test', scheduled_at: scheduledAt })
    const { page } = await stage.visit(t, '/c/all/overview')
    const where = page.getByRole('region', { name: 'Waiting mail by recipient domain' })
    const row = where.getByRole('row').filter({ hasText: 'stuck.test' })
    await row.getByRole('button', { name: 'Pause' }).click()
    const pauseThem = page.getByRole('dialog').getByRole('button', { name: 'Pause' })
    await pauseThem.click()
    await row.getByText('Paused').waitFor()
    const scopes = async () =>
      (await stage.service.store.pauses(Date.now())).map(({ companyId, domain }) => [companyId, domain])
    assert.deepEqual(await scopes(), [[null, 'stuck.test']])
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('Paused').waitFor({ state: 'detached' })
    // A retry would leave scheduled mail alone.
    assert.equal(await row.getByRole('button', { name: 'Retry now' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Retry all now' }).count(), 0)
    const whose = page.getByRole('region', { name: 'Waiting mail by company' })
    for (const head of ['Oldest', 'Next attempt', 'Last reply']) {
      await whose.getByRole('columnheader', { name: head }).waitFor()
    }
    const ofCompany = whose.getByRole('row').filter({ hasText: stage.company.name })
    const { email } = (await stage.service.store.readHistory(id))!
    const oldest = ofCompany.locator(`time[datetime="${new Date(email.createdAt).toISOString()}"]`)
    await oldest.getByText(/^(just now|\d+ (sec|min) ago)$/).waitFor()
    await ofCompany.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('dialog', { name: `Pause mail of ${stage.company.name}?` }).waitFor()
    await pauseThem.click()
    await whose.getByRole('button', { name: 'Resume' }).click()
    await whose.getByText('Paused').waitFor({ state: 'detached' })
    assert.deepEqual(await scopes(), [])
    await page.getByRole('link', { name: 'The oldest waiting email' }).waitFor()
    await row.getByRole('link', { name: 'stuck.test' }).click()
    await page.locator(`[data-email="${id}"]`).waitFor()
  })

  test('an operator reads why mail is in quarantine, and releases one email or all of it; its company reads it too', async (t) => {
    const { store } = stage.service
    // The service has crashed under their delivery: no node has the token any more.
    const token = await store.join(node('crashed'))
    const ids: string[] = []
    for (const subject of ['Poison', 'Venom', 'Toxin']) {
      const value = email(stage.company, [`${subject}@ward.test`], {
        domainId: (await store.accounts()).domains[0]!.id,
        content: { ...email(stage.company, ['x@ward.test']).content, subject },
      })
      await store.accept(value, { token })
      const why = { others: 'quarantine', at: Date.now(), message: `The process died of ${subject}` } as const
      await store.quarantine({ emailId: value.id, leaseToken: token, positions: [0], ...why })
      ids.push(value.id)
    }
    const member = await stage.person({ [stage.company.id]: 'viewer' })
    const path = `/c/${stage.company.id}/overview`
    const seen = await stage.visit(t, path, { as: member })
    const theirs = seen.page.getByRole('region', { name: 'Quarantine' })
    await theirs.getByText('The process died of Venom').waitFor()
    assert.equal(await theirs.getByRole('button', { name: /Release/ }).count(), 0)
    const { page } = await stage.visit(t, '/c/all/overview')
    const part = page.getByRole('region', { name: 'Quarantine' })
    const row = part.getByRole('row').filter({ hasText: 'Poison' })
    await row.getByText(stage.company.name, { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Release Poison' }).click()
    await page.getByText('Released one recipient').waitFor()
    await row.waitFor({ state: 'detached' })
    await part.getByRole('button', { name: 'Release all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release all' }).click()
    await page.getByText('Released 2 recipients').waitFor()
    await part.waitFor({ state: 'detached' })
    assert.deepEqual(await store.quarantined({ limit: 9 }), [])
  })

  test('an operator pauses mail, lets it go again, and adds a company', async (t) => {
    const { page } = await stage.visit(t, '/installation')
    const pauses = page.getByRole('region', { name: 'Pauses' })
    await pauses.getByLabel('Recipient domain').fill('slow.test')
    await pauses.getByRole('button', { name: 'Pause' }).click()
    await pauses.getByText('All mail to slow.test').waitFor()
    assert.deepEqual(
      (await stage.service.store.pauses(Date.now())).map(({ companyId, domain }) => [companyId, domain]),
      [[null, 'slow.test']],
    )
    await pauses.getByRole('button', { name: 'Resume' }).click()
    await pauses.getByText('All mail to slow.test').waitFor({ state: 'detached' })
    await page.getByLabel('New company').fill('Gamma')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('link', { name: 'Gamma' }).waitFor()
  })

  test('an operator sees the problems of the installation at once, and unfolds the checks that passed', async (t) => {
    const domain = await stage.service.domain(stage.company.id, 'unpublished.example')
    t.after(() => stage.service.store.removeDomain(domain.id, Date.now()))
    const { page } = await stage.visit(t, '/installation')
    const checks = page.getByRole('region', { name: 'Can this machine send mail?' })
    await checks.getByText('There is no backup yet.').waitFor()
    await checks.getByText('bin/postroad backup --force postroad-backup.db').waitFor()
    const link = checks.getByRole('link', { name: `Page of ${domain.name}` })
    assert.equal(await link.getAttribute('href'), `/console/c/${stage.company.id}/domains/${domain.id}`)
    const right = checks.getByText('All due mail is attempted in time, or takes its turn.')
    assert.equal(await right.isVisible(), false)
    await checks.getByRole('button', { name: /^\d+ checks passed$/ }).click()
    await right.waitFor()
    await checks.getByRole('button', { name: 'Check again' }).click()
    await checks.getByRole('button', { name: 'Check again' }).waitFor()
  })

  test('the overview explains how mail to an address would leave', async (t) => {
    await stage.send({ to: 'ada@explained.test' })
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview`)
    const part = page.getByRole('region', { name: 'How would mail to an address leave?' })
    await part.getByLabel('Address of a recipient').fill('jane@explained.test')
    await part.getByRole('button', { name: 'Explain' }).click()
    await part
      .getByText('Mail to jane@explained.test would be captured now: none leaves this machine.')
      .waitFor()
    await part.getByText('at most 20 sessions at once').waitFor()
    await page.waitForURL(/overview\?explain=jane(@|%40)explained\.test/)
    await part.getByRole('link', { name: 'ada@explained.test' }).click()
    await page.waitForURL('**/emails/*-*')
  })

  test('a search for mail to an address leads to how mail to it would leave, and from which domain', async (t) => {
    const { service, company } = stage
    await service.domain(company.id, 'silent.test')
    const op = operationOn(service.settings, service.store, OPERATOR, await service.store.accounts())
    await suspendDomain(op, { domain: 'silent.test' })
    await service.app.refreshAccounts()
    const { page } = await stage.visit(t, `/c/${company.id}/emails?q=to:jane@leads.test`)
    await page.getByRole('link', { name: 'How would mail to jane@leads.test leave?' }).click()
    const part = page.getByRole('region', { name: 'How would mail to an address leave?' })
    await part.getByText('Mail to jane@leads.test would be captured now').waitFor()
    const field = part.getByLabel('From the sending domain')
    await field.fill('silent')
    await page.getByRole('option', { name: 'silent.test' }).click()
    await part.getByRole('button', { name: 'Explain' }).click()
    await part.getByText('Mail from silent.test is not accepted: sending was suspended').waitFor()
    await page.reload()
    await part.getByText('Mail from silent.test is not accepted: sending was suspended').waitFor()
    assert.equal(await field.inputValue(), 'silent.test')
  })

  test('keys open every page, the palette finds the typed words, and the person can list the keys and switch both off', async (t) => {
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.waitForURL('**/installation')
    await page.keyboard.press('Control+k')
    await page.getByLabel('Find a page, object or action').fill('domai')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/domains')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Suppressions').waitFor()
    await page.getByLabel('Use single-key shortcuts').click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    assert.match(page.url(), /\/domains$/)
  })

  test('the palette finds the objects of a company and the actions of a person, and is accessible', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/overview`)
    const { page } = visit
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Command palette' })
    const field = page.getByLabel('Find a page, object or action')
    await field.fill('dark')
    await dialog.getByRole('option', { name: 'Dark colors' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Enter')
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()

    await page.keyboard.press('Control+k')
    await field.fill(stage.domain)
    await dialog.getByRole('option', { name: `Domain ${stage.domain}` }).click()
    await page.getByRole('heading', { name: stage.domain, level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('retry all')
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog', { name: `Retry mail of ${stage.company.name} now?` })
      .getByText(/^\d+ recipients? (is|are) waiting\. /)
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('Control+k')
    await field.fill('add domain')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add a domain' }).waitFor()
  })

  test('a new page begins at its heading', async (t) => {
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    const heading = page.getByRole('heading', { name: 'Webhooks', level: 1 })
    await heading.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Tab')
    assert.ok(
      await page.evaluate<boolean>("document.getElementById('main').contains(document.activeElement)"),
    )
  })

  test('the page shows something before its script has loaded', async (t) => {
    const { page } = await stage.visit(t, '/sign-in')
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/assets/*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails`, { waitUntil: 'commit' })
    const skeleton = page.locator('#skeleton')
    await skeleton.waitFor()
    release()
    await page.getByRole('heading', { name: 'Emails' }).waitFor()
    await skeleton.waitFor({ state: 'hidden' })
  })

  test('a person who is signed out elsewhere signs in again and returns to the page', async (t) => {
    const visit = await stage.visit(t, `/c/${stage.company.id}/overview?span=week`)
    const { page } = visit
    visit.expect(/status of 401/)
    await page.getByText('Mail in the last 7 days.').waitFor()
    await stage.service.store.endSessions(stage.operator.id, { except: null })
    const left = page.waitForURL('**/console/sign-in?*')
    // The first request is refused, whether it follows from this click or the page makes it by itself.
    const click = page.getByText('Month', { exact: true }).click()
    click.catch(() => {})
    await left
    await page.getByRole('heading', { name: 'Sign in to Postroad' }).waitFor()
    const to = new URL(page.url()).searchParams.get('to')
    assert.match(to ?? '', new RegExp(`/c/${stage.company.id}/overview`))
  })
})
