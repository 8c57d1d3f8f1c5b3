/** Mail that waits: the page of the email, the overview, the sites and the command line say the same about it. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { relayAt } from '../delivery/route/rig.ts'
import { attempt, deferred, email as sample } from '../store/samples.ts'
import { withoutBrowser } from '../support/browser.ts'
import { runShared } from '../support/commands.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'

const BUSY = '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred'

describe('mail that waits', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let sink: Sink
  before(async () => {
    sink = await startSink({
      script: ({ step }) => (step === 'connect' ? { reply: BUSY, close: true } : undefined),
    })
    stage = await Stage.open({
      delivery: relayAt(sink.port, { tls: 'off' }),
      retrySchedule: [3_600_000, 3_600_000],
    })
  })
  after(async () => {
    await stage?.close()
    await sink?.close()
  })

  const waiting = async (id: string, how: 'path' | null) =>
    until(async () => {
      const [recipient] = (await stage.service.store.readHistory(id))!.recipients
      return recipient!.state === 'waiting' && recipient!.heldFor === how && recipient!.lastMessage !== null
    }, `${id} to wait`)

  const command = async (...args: string[]) => {
    const { settings, directory: folder } = stage.service
    const database = settings.database
    const url = database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTROAD_'))
    const env = Object.fromEntries(inherited) as Record<string, string>
    env.POSTROAD_DATABASE_URL = url
    if (settings.secretKey !== null) env.POSTROAD_SECRET_KEY = settings.secretKey.toString('hex')
    env.POSTROAD_DELIVERY = `smtp://127.0.0.1:${sink.port}?tls=off`
    const { code, stdout, stderr } = await runShared({ args, folder, env })
    assert.equal(code, 0, stderr.toString())
    return stdout.toString()
  }

  const statusOf = (page: Page) => page.getByRole('status', { name: 'Status' })

  test('behind a closed path, every place names the server’s answer and the time of its next try', async (t) => {
    const first = await stage.send({ to: 'a@one.test' })
    await waiting(first, null)
    const others = [await stage.send({ to: 'b@two.test' }), await stage.send({ to: 'c@one.test' })]
    for (const id of others) await waiting(id, 'path')
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails/${others[0]}`)
    const { page } = visit
    // Another try may come in between, and sums are those of some seconds ago.
    await until(async () => {
      const before = await nextTryOf(stage)
      const times = [...(await timesTold(others)), ...(await timesShown(page, others[0]!))]
      if (before !== (await nextTryOf(stage))) return false
      return times.every(([, at]) => at === before)
    }, 'a look at all places between two tries')
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${others[0]}`)
    await statusOf(page)
      .getByText(/^Postroad waits with all mail to 127\.0\.0\.1\. (Tried .*\. )?Next try .*; gives up /)
      .waitFor()
    await statusOf(page).getByText(`127.0.0.1 answers “${BUSY}” to this server.`).waitFor()

    // It waits for the reason for which the first one was refused.
    assert.match(await command('email', 'show', others[0]!), /too much mail +Not attempted, because other/)
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/overview`)
    const reasons = page.getByRole('region', { name: 'Why mail fails' })
    const row = reasons.getByRole('row').filter({ hasText: 'Too much mail' })
    await row.getByRole('cell', { name: '3', exact: true }).waitFor()
    assert.equal(await reasons.getByText('Other', { exact: true }).count(), 0)
  })

  test('behind a closed path, the server’s words are not repeated', async (t) => {
    const many = await stage.send({ to: ['d@one.test', 'e@two.test'] })
    await waiting(many, 'path')
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview?explain=f@one.test`)
    const explained = page.getByRole('region', { name: 'How would mail to an address leave?' })
    await explained.getByText('Mail to f@one.test would wait.').waitFor()
    const latest = explained.getByText('Latest mail to this domain').locator('..')
    await latest.getByText(BUSY).first().waitFor()
    assert.equal(await latest.getByText('Not attempted').count(), 0)
    const closed = explained.getByRole('definition').filter({ hasText: 'next try' })
    assert.match((await closed.textContent())!, /^since [^:]*, next try (.*, )?\d\d:\d\d:\d\d \(.*\)$/)
    // Of the reader's time zone everywhere.
    assert.doesNotMatch(await explained.innerText(), /\d\d:\d\dZ/)

    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${many}`)
    // The name of a server can be long, and the row has one line.
    await page
      .getByRole('button', { name: /e@two\.test/ })
      .getByText(BUSY, { exact: true })
      .waitFor()
  })

  test('the question before a retry of all mail says how many recipients wait, and the result how many are retried', async (t) => {
    for (const to of ['g@one.test', 'h@two.test']) await waiting(await stage.send({ to }), 'path')
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview`)
    const dialog = page.getByRole('dialog', { name: `Retry mail of ${stage.company.name} now?` })
    await page.getByRole('button', { name: 'Retry all now' }).click()
    await dialog.getByText(/^[1-9]\d* recipients are waiting\. /).waitFor()
    await dialog.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText(/^Retrying [1-9]\d* recipients now\./).waitFor()
    await page
      .getByRole('region', { name: 'Waiting mail by recipient domain' })
      .getByRole('row')
      .filter({ hasText: 'two.test' })
      .getByRole('button', { name: `Retry now: mail of ${stage.company.name} to two.test` })
      .click()
    await page
      .getByRole('dialog', { name: `Retry mail of ${stage.company.name} to two.test now?` })
      .getByText(/^[1-9]\d* recipients? (is|are) waiting\. .* takes no mail at all uses up none\. /)
      .waitFor()
  })

  test('a pause says until when and why wherever its mail is shown, to members of the company too', async (t) => {
    const { store, url } = stage.service
    const end = new Date(Date.now() + 2 * 3_600_000)
    const reason = 'their postmaster asked us to wait'
    await store.pause({
      companyId: null,
      domain: 'paused.test',
      since: Date.now(),
      until: end.getTime(),
      reason,
    })
    const id = await stage.send({ to: 'a@paused.test' })
    const told = `${end.toISOString().slice(0, 19).replace('T', ' ')}Z`
    await until(async () => {
      const said = `Paused by an operator: ${reason}. It waits, without using up attempts, until the pause ends at ${told}.`
      return (await command('email', 'show', id)).includes(said)
    }, 'the command line to say it')
    const member = await stage.person({ [stage.company.id]: 'viewer' })
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails/${id}`, { as: member })
    const { page } = visit
    const sentence = await statusOf(page).innerText()
    assert.match(sentence, /Paused by an operator: their postmaster asked us to wait\. It waits/)
    assert.match(sentence, /until the pause ends at .*\(in (2 h|1 h 59 min)\)\./)
    await page.goto(`${url}/console/c/${stage.company.id}/overview`)
    const where = page.getByRole('region', { name: 'Waiting mail by recipient domain' })
    const row = where.getByRole('row').filter({ hasText: 'paused.test' })
    await row.getByText(/^since .+, ends in (2 h|1 h 59 min): their postmaster asked us to wait$/).waitFor()

    // An operator finds the pause of all companies in the view of one company, too.
    const { page: operated } = await stage.visit(t, `/c/${stage.company.id}/overview`)
    const own = operated.getByRole('region', { name: 'Waiting mail by recipient domain' })
    await own
      .getByRole('row')
      .filter({ hasText: 'paused.test' })
      .getByRole('button', { name: 'Resume' })
      .click()
    const question = operated.getByRole('dialog', { name: 'Resume all mail to paused.test?' })
    await question.getByText(/The pause is for all mail to paused\.test of all companies\./).waitFor()
    await question.getByRole('button', { name: 'Resume' }).click()
    await until(async () => (await store.pauses(Date.now())).length === 0, 'the pause to end')
  })

  test('the overview leads to what the provider says about its replies, as the page of an email does', async (t) => {
    const { store, url } = stage.service
    const { id: domainId } = (await store.accounts()).domains.find(({ name }) => name === stage.domain)!
    const email = sample(stage.company, ['a@yahoo.test'], { id: randomUUIDv7(), domainId })
    const token = 4_711
    await store.accept(email, { token })
    const server = 'mta7.am0.yahoodns.net [192.0.2.1]:25'
    const later = Date.now() + 3_600_000
    await store.record(attempt(email, token, [deferred(0, later, { server, message: BUSY, code: 421 })]))
    const member = await stage.person({ [stage.company.id]: 'viewer' })
    const { page } = await stage.visit(t, `/c/${stage.company.id}/overview`, { as: member })
    const where = page.getByRole('region', { name: 'Waiting mail by recipient domain' })
    const link = (place: Page | Locator) =>
      place.getByRole('link', { name: 'What Yahoo says about its replies' }).getAttribute('href')
    const about = await link(where.getByRole('row').filter({ hasText: 'yahoo.test' }))
    assert.match(about!, /^https:\/\/senders\.yahooinc\.com\//)
    await page.goto(`${url}/console/c/${stage.company.id}/emails/${email.id}`)
    assert.equal(await link(page), about)
  })

  test('the overview begins with the problems, and leads to them', async (t) => {
    const { store } = stage.service
    const { id: companyId } = stage.company
    const found = 'hooks.acme.test has not accepted an event for an hour.'
    const alert = {
      id: 'webhook:w1',
      companyId,
      title: 'Webhook of Acme',
      found,
      advice: null,
      memberAdvice: null,
    }
    await store.raiseAlert(alert, Date.now())
    const member = await stage.person({ [companyId]: 'viewer' })
    const visit = await stage.visit(t, `/c/${companyId}/overview`, { as: member })
    const problems = visit.page.getByRole('region', { name: 'Problems' })
    await problems.getByText(found).waitFor()
    const link = problems.getByRole('link', { name: 'Webhook of Acme' })
    assert.equal(await link.getAttribute('href'), `/console/c/${companyId}/webhooks/w1`)
    assert.deepEqual(await visit.barriers(), [])
    await visit.page.goto(`${stage.service.url}/console/c/${companyId}/emails`)
  })

  /** The times of the next try in the command line, to the second. */
  const timesTold = async (ids: readonly string[]): Promise<Told[]> => {
    const sites = JSON.parse(await command('site', 'list', '--json')) as { closed: { next_try_at: string } }[]
    const lanes = JSON.parse(await command('queue', '--json')) as {
      domain: string
      next_attempt_at: string
    }[]
    const shown = await Promise.all(ids.map((id) => command('email', 'show', id)))
    const inText = (text: string, place: RegExp) => place.exec(text)?.[1]?.replace(' ', 'T') ?? text
    return [
      ['site list', seconds(sites[0]!.closed.next_try_at)],
      ...lanes.map(({ domain, next_attempt_at }): Told => [`queue ${domain}`, seconds(next_attempt_at)]),
      ...shown.flatMap((text): Told[] => [
        ['the sentence of email show', inText(text, /Next try (\S+ \S+Z); gives up/)],
        ['the table of email show', inText(text, /Held +0 +(\S+ \S+Z) /)],
      ]),
    ]
  }

  /** The same in the console. */
  const timesShown = async (page: Page, id: string): Promise<Told[]> => {
    const { url } = stage.service
    const timeIn = async (place: Locator) => seconds((await place.first().getAttribute('datetime'))!)
    await page.goto(`${url}/console/c/${stage.company.id}/emails/${id}`)
    const email = await timeIn(statusOf(page).locator('time'))
    await page.goto(`${url}/console/c/all/overview`)
    const where = page.getByRole('region', { name: 'Waiting mail by recipient domain' })
    // The oldest mail stands before it.
    const row = (domain: string) => where.getByRole('row').filter({ hasText: domain }).locator('time').nth(1)
    const [one, two] = [await timeIn(row('one.test')), await timeIn(row('two.test'))]
    await page.goto(`${url}/console/installation`)
    const closed = page.getByRole('region', { name: 'Sites' }).getByRole('row').filter({ hasText: 'Closed' })
    const site = await timeIn(closed.locator('time').nth(1))
    return [
      ['page of the email', email],
      ['overview, one.test', one],
      ['overview, two.test', two],
      ['sites', site],
    ]
  }
})

type Told = [place: string, time: string]

/** As the nodes report it. */
async function nextTryOf({ service: { store } }: Stage): Promise<string> {
  return await until(async () => {
    const sites = (await store.siteReports()).flatMap((report) => report.sites)
    const at = sites.find(({ closed }) => closed !== null)?.closed?.nextTryAt
    return at !== undefined && at > Date.now() && seconds(new Date(at).toISOString())
  }, 'the report of the closed path')
}

function seconds(time: string): string {
  return `${time.slice(0, 19)}Z`
}
