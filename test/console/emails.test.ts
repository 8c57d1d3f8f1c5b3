/** The list of emails as people use it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { SeverableWay } from '../../harness/severable.ts'
import type { Company } from '../../src/accounts/account.ts'
import { startApp } from '../../src/app.ts'
import { createLogger } from '../../src/log.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { showDestinations } from '../../src/operate/overview.ts'
import { email } from '../store/samples.ts'
import { withoutBrowser } from '../support/browser.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { DESKTOP } from './tab.ts'
import { PHONE, Visit } from './visit.ts'

/** More than a browser opens connections to one server (six). */
const TABS = 9
const UNREACHABLE =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/
const MANY = 100_000
/** Emails stored at once. */
const BUNCH = 1_000
const DAY = 24 * 60 * 60_000

/** As many emails as that, which wait for tomorrow. */
async function fill({ store }: Service, company: Pick<Company, 'id'>, count: number): Promise<void> {
  for (let from = 0; from < count; from += BUNCH) {
    const emails = Array.from({ length: Math.min(BUNCH, count - from) }, (_, index) => {
      const change = email(company, [`reader${from + index}@example.test`], { dueAt: Date.now() + DAY })
      return { ...change, content: { ...change.content, subject: `Letter ${from + index}` } }
    })
    await store.acceptAll({ emails, idempotency: null }, null)
  }
}

const rows = (page: Page) => page.locator('[data-email]')
const row = (page: Page, id: string) => page.locator(`[data-email="${id}"]`)
const isLive = (page: Page) => page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
/** What the row says, spaces aside. */
const words = async (page: Page, id: string) => (await row(page, id).innerText()).replace(/\s+/g, ' ')

describe('the list of emails', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let list: string

  before(async () => {
    stage = await Stage.open()
    list = `/c/${stage.company.id}/emails`
  })
  after(() => stage?.close())

  test('leads to the first message, and shows it and its state as they come', async (t) => {
    // Wide enough for senders.
    const { page } = await stage.visit(t, list, { viewport: { width: 1440, height: 900 } })
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor()
    await page.getByRole('link', { name: 'Send a test message' }).waitFor()
    await isLive(page)
    const id = await stage.send({ subject: 'The first', to: ['Ann <ann@example.test>', 'bob@example.test'] })
    await row(page, id).filter({ hasText: 'Captured' }).waitFor()
    const said = await words(page, id)
    for (const part of ['The first', 'Ann <ann@example.test> +1', `hello@${stage.domain}`]) {
      assert.ok(said.includes(part), `${part} in: ${said}`)
    }
    const second = await stage.send({ subject: 'The second' })
    await row(page, second).waitFor()
    assert.match(await rows(page).first().innerText(), /The second/)
    assert.equal(await rows(page).count(), 2)
  })

  test('an email is unread until it is opened, and the title of the page counts', async (t) => {
    const first = await stage.send({
      subject: 'Letter one',
      text: 'The invoice\nis attached.',
      attachments: [{ filename: 'a.txt', content: btoa('a') }],
    })
    const second = await stage.send({ subject: 'Letter two', html: '<p>Hello <i>Ann</i>' })
    const visit = await stage.visit(t, `${list}?q=letter`, { viewport: { width: 1440, height: 900 } })
    const { page } = visit
    const unread = (id: string) => row(page, id).filter({ hasText: 'Unread' })
    const title = (text: string) => page.waitForFunction(`document.title === ${JSON.stringify(text)}`)
    await row(page, first).filter({ hasText: 'The invoice is attached.' }).waitFor()
    await row(page, first).filter({ hasText: 'With attachments' }).waitFor()
    await row(page, second).filter({ hasText: 'Hello Ann' }).waitFor()
    await row(page, second).filter({ hasNotText: 'With attachments' }).waitFor()
    await title('(2) Emails - Postroad')
    assert.deepEqual(await visit.barriers(), [])
    // Beside the list, and on its own page.
    await row(page, first).click()
    await page.getByRole('region', { name: 'Selected email' }).getByRole('tab', { name: 'Text' }).waitFor()
    await title('(1) Emails - Postroad')
    await page.keyboard.press('U')
    await title('(2) Emails - Postroad')
    await page.keyboard.press('U')
    await title('(1) Emails - Postroad')
    await page.goto(`${new URL(page.url()).origin}/console/c/${stage.company.id}/emails/${second}`)
    await page.getByRole('tab', { name: 'Text' }).waitFor()
    await page.goto(`${new URL(page.url()).origin}/console${list}?q=letter`)
    await row(page, second).waitFor()
    await title('Emails - Postroad')
    const third = await stage.send({ subject: 'Letter three' })
    await row(page, third).waitFor()
    await title('(1) Emails - Postroad')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await title('Emails - Postroad')
    assert.equal(await unread(third).count(), 0)
    await page.reload()
    await row(page, third).waitFor()
    await title('Emails - Postroad')
  })

  test('a search follows new mail every two seconds, whatever it finds in texts, and only while the page is seen', async (t) => {
    const visit = await stage.visit(t, list, { ownTab: true })
    const { page } = visit
    await page.addInitScript(`
      window.heard = []
      window.EventSource = class extends EventSource {
        constructor(url) {
          super(url)
          this.addEventListener('changes', ({ data }) => heard.push(...JSON.parse(data).emails.map(({ id }) => id)))
        }
      }
    `)
    await page.clock.install()
    const search = '?q=quokka'
    await page.goto(`${stage.service.url}/console${list}${search}`)
    await page.getByRole('heading', { name: 'No emails found' }).waitFor()
    await isLive(page)
    await page.clock.pauseAt(Date.now() + 5_000)
    const send = async (text: string) => {
      const id = await stage.send({ subject: 'Animals', text })
      await until(() => page.evaluate<boolean>(`heard.includes('${id}')`), 'the page to learn of it')
      return id
    }
    // An answer takes no time for the page but that of these steps.
    const shows = (id: string) =>
      until(async () => {
        await page.clock.runFor(1)
        return await row(page, id).isVisible()
      }, `${id} to be shown`)
    const searches = () => visit.asked.filter((url) => url.includes(`/emails${search}`)).length
    const first = await send('A quokka')
    await shows(first)

    const more: string[] = []
    for (const text of ['Another quokka', 'One quokka more', 'The last quokka']) more.push(await send(text))
    const before = searches()
    await page.clock.runFor(1_900)
    for (const id of more) await shows(id)
    assert.equal(searches() - before, 1, 'one search for all of them')

    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    const hidden = await send('Hidden quokka')
    await page.clock.runFor(4_000)
    assert.equal(searches() - before, 1, 'no search for nobody')
    await hide(false)
    await shows(hidden)
  })

  test('captured emails are deleted with the keyboard, together, and all at once', async (t) => {
    const ids: string[] = []
    for (const nth of [1, 2, 3]) ids.push(await stage.send({ subject: `Gone ${nth}` }))
    const visit = await stage.visit(t, list, { viewport: { width: 1440, height: 900 } })
    const { page } = visit
    const bar = page.getByRole('region', { name: 'Selected rows' })
    const confirmed = async (count: string) => {
      const dialog = page.getByRole('dialog', { name: `Delete ${count}?` })
      assert.deepEqual(await visit.barriers(), [])
      await dialog.getByRole('button', { name: `Delete ${count}` }).click()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await bar.waitFor({ state: 'detached' })
    }
    await row(page, ids[2]!).focus()
    await page.keyboard.press('Delete')
    await page
      .getByRole('dialog', { name: 'Delete 1 email?' })
      .getByRole('button', { name: 'Cancel' })
      .click()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await row(page, ids[2]!).focus()
    await page.keyboard.press('Delete')
    await page.getByText('The email is deleted with its content and events.').waitFor()
    await confirmed('1 email')
    await row(page, ids[2]!).waitFor({ state: 'detached' })
    assert.equal(await stage.service.store.readHistory(ids[2]!), null)
    await page.getByRole('checkbox', { name: 'Select Gone 1,' }).click()
    await page.getByRole('checkbox', { name: 'Select Gone 2,' }).click()
    await bar.getByRole('button', { name: 'Delete' }).click()
    await confirmed('2 emails')
    await row(page, ids[0]!).waitFor({ state: 'detached' })
    // Where it is read: beside the list, and on its own page.
    const [beside, alone] = [await stage.send({ subject: 'Gone 3' }), await stage.send({ subject: 'Gone 4' })]
    const deletion = page.getByRole('dialog', { name: 'Delete this email?' })
    await row(page, beside).click()
    const pane = page.getByRole('region', { name: 'Selected email' })
    await pane.getByRole('button', { name: 'Delete' }).click()
    await deletion.getByRole('button', { name: 'Delete email' }).click()
    await pane.waitFor({ state: 'detached' })
    await row(page, beside).waitFor({ state: 'detached' })
    await row(page, alone).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Gone 4', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByRole('row', { name: 'Delete the email' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Delete')
    await deletion.waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await deletion.getByRole('button', { name: 'Delete email' }).click()
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    assert.equal(await stage.service.store.readHistory(alone), null)
    const last = await stage.send({ subject: 'Gone 5' })
    await row(page, last).waitFor()
    await page.getByRole('button', { name: 'Clear inbox' }).click()
    await page.getByText('All captured emails of this company are deleted').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Delete all emails' }).click()
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Clear inbox' }).isDisabled(), true)
    const next = await stage.send({ subject: 'After all' })
    await row(page, next).waitFor()
    await page.goto(`${new URL(page.url()).origin}/console${list}?q=after`)
    await row(page, next).waitFor()
  })

  test('a captured email is deleted, and marked as unread, where it is read', async (t) => {
    const ids: string[] = []
    for (const nth of [1, 2, 3]) ids.push(await stage.send({ subject: `Read ${nth}` }))
    const visit = await stage.visit(t, `${list}/${ids[0]}`, { viewport: DESKTOP })
    const { page } = visit
    const confirmed = () =>
      page.getByRole('dialog', { name: 'Delete this email?' }).getByRole('button', { name: 'Delete email' })
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    await page.keyboard.press('U')
    await row(page, ids[0]!).getByText('Unread').waitFor({ state: 'attached' })
    await row(page, ids[0]!).focus()
    await page.keyboard.press('Enter')
    const beside = page.getByRole('region', { name: 'Selected email' })
    await beside.getByRole('button', { name: 'Delete', exact: true }).click()
    await confirmed().click()
    await beside.waitFor({ state: 'detached' })
    await row(page, ids[0]!).waitFor({ state: 'detached' })

    await page.goto(`${stage.service.url}/console${list}/${ids[1]}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Delete the email').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Delete')
    await confirmed().click()
    await row(page, ids[2]!).waitFor()
    await row(page, ids[1]!).waitFor({ state: 'detached' })
  })

  test('tags leave status and subject their room, and the name of the sender comes first', async (t) => {
    const { company } = await stage.service.tenant('narrow.test')
    const { token } = await stage.service.key(company.id)
    const tags = Array.from({ length: 50 }, (_, nth) => ({
      name: `campaign${nth}`,
      value: `a-long-value-${nth}`,
    }))
    const answer = await fetch(`${stage.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{
          from: 'Laravel <hello@narrow.test>',
          to: 'you@x.test',
          subject: 'Your receipt',
          text: 'The beginning',
          tags,
        },
      }),
    })
    const { id } = (await answer.json()) as { id: string }
    const { page } = await stage.visit(t, `/c/${company.id}/emails`)
    // The page settles after a change of its size.
    const isWhole = (text: string) =>
      until(
        () =>
          row(page, id)
            .getByText(text, { exact: true })
            .first()
            .evaluate((part: { clientWidth: number; scrollWidth: number; parentElement: unknown }) => {
              const { parentElement: parent } = part as { parentElement: typeof part }
              return part.scrollWidth <= part.clientWidth + 1 && parent.scrollWidth <= parent.clientWidth + 1
            }),
        `${text} to be whole`,
        10_000,
      )
    // The beginning of the text replaces the bare subject, which a click in that moment would hit in vain.
    await row(page, id).getByText('The beginning').waitFor()
    await row(page, id).click()
    await page.getByRole('region', { name: 'Selected email' }).waitFor()
    for (const text of ['Captured', 'Your receipt']) await isWhole(text)
    await row(page, id).getByText('+49').waitFor()
    await page.setViewportSize(PHONE)
    for (const text of ['Captured', 'Your receipt']) await isWhole(text)
    await page.setViewportSize({ ...DESKTOP, width: 1_440 })
    await page.goto(`${stage.service.url}/console/c/${company.id}/emails`)
    await row(page, id).getByText('+49').waitFor()
    await isWhole('Laravel')
  })

  test('emails are chosen with mouse and keyboard, and canceled together', async (t) => {
    const at = new Date(Date.now() + DAY).toISOString()
    const ids: string[] = []
    for (const nth of [1, 2, 3, 4]) {
      ids.push(await stage.send({ to: `batch${nth}@x.test`, subject: `Batch ${nth}`, scheduled_at: at }))
    }
    const visit = await stage.visit(t, `${list}?q=batch`, { viewport: { width: 1440, height: 900 } })
    const { page } = visit
    const box = (nth: number) => page.getByRole('checkbox', { name: `Select Batch ${nth},` })
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await box(4).click()
    await box(2).click({ modifiers: ['Shift'] })
    await bar.getByText('3 selected').waitFor()
    await row(page, ids[3]!).focus()
    await page.keyboard.press('x')
    await bar.getByText('2 selected').waitFor()
    await bar.getByRole('button', { name: 'Select all that match' }).click()
    await bar.getByText('4 selected').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await stage.service.store.cancel(ids[0]!, Date.now())
    await row(page, ids[0]!).filter({ hasText: 'Canceled' }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Cancel 3 emails?' })
    await dialog.getByText('No recipient of the other selected email is waiting.').waitFor()
    // The list does not know yet that this one is canceled as well.
    await page.route('**/emails/cancel', async (route) => {
      await stage.service.store.cancel(ids[1]!, Date.now())
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Cancel 3 emails' }).click()
    await dialog.getByText('3 of 3. 2 emails canceled. 1 could not be changed.').waitFor()
    await dialog.getByText('Nothing to cancel: no recipient is waiting').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await bar.waitFor({ state: 'detached' })
    await row(page, ids[3]!).filter({ hasText: 'Canceled' }).waitFor()

    await box(1).click()
    await page.keyboard.press('s')
    const suppression = page.getByRole('dialog', { name: 'Suppress the recipients of 1 email?' })
    await suppression.getByRole('button', { name: 'Suppress address' }).click()
    await suppression.getByText('1 of 1. The recipients of 1 email are suppressed.').waitFor()
    await suppression.getByRole('button', { name: 'Done' }).click()
    await bar.waitFor({ state: 'detached' })

    await box(1).click()
    await bar.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Table (CSV)' }).click(),
    ])
    const exported = await readFile(await file.path(), 'utf8')
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('dialog', { name: 'Time' }).getByRole('button', { name: 'Yesterday' }).click()
    await page.getByText('No emails found').first().waitFor()
    await page.setViewportSize(PHONE)
    await page.goto(page.url().replace('yesterday', 'today'))
    await box(2).click()
    await bar.getByText('1 selected').waitFor()
    assert.match(
      exported,
      /^id,accepted,last_event,reason,permanent,from,to,recipients,subject,tags\r\n[^\r]+,Batch 1,\r\n$/,
    )
  })

  test('is narrowed by search and menus, each state with an address of its own', async (t) => {
    const [welcome, later] = [
      await stage.send({
        subject: 'Welcome aboard',
        to: 'carol@example.test',
        tags: [{ name: 'kind', value: 'hello' }],
      }),
      await stage.send({ subject: 'For later', scheduled_at: new Date(Date.now() + DAY).toISOString() }),
    ]
    const visit = await stage.visit(t, list)
    const { page } = visit
    await row(page, later).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('welcome')
    await row(page, later).waitFor({ state: 'detached' })
    await row(page, welcome).waitFor()
    await page.waitForURL('**/emails?q=welcome')

    await page.goBack()
    await row(page, later).waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Search emails' }).inputValue(), '')

    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('checkbox', { name: 'Scheduled' }).check()
    await row(page, welcome).waitFor({ state: 'detached' })
    await row(page, later).filter({ hasText: 'Scheduled' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('button', { name: 'Last hour' }).click()
    await page.waitForURL('**/emails?status=scheduled&time=1h')
    await page.reload()
    await row(page, later).waitFor()
    assert.equal(await rows(page).count(), 1)

    await page.getByRole('button', { name: 'Tag' }).click()
    await page.getByRole('combobox', { name: 'Tag' }).fill('kind:nothing')
    await page.getByRole('option', { name: 'Exactly “kind:nothing”' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No emails found' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Clear search', exact: true }).click()
    await row(page, welcome).waitFor()
    await page.waitForURL(new RegExp(`${list}$`))
  })

  test('finds emails by parts of addresses, and by whatever is half typed', async (t) => {
    const own = stage.domain
    const id = await stage.send({
      ...{ from: `Laravel <hello@${own}>`, to: 'you@example.com', subject: 'A test' },
      ...{ tags: [{ name: 'kind', value: 'typing' }] },
    })
    const visit = await stage.visit(t, `${list}?tag=kind:typing`)
    const { page } = visit
    const field = page.getByRole('combobox', { name: 'Search emails' })
    await row(page, id).waitFor()
    const typed = async (text: string) => {
      await field.fill(text)
      await page.waitForURL((url) => (url.searchParams.get('q') ?? '') === text)
      await row(page, id).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0, text)
      assert.equal(await page.locator('#emails-search-problem').count(), 0, text)
    }
    const texts = [
      'you',
      'you@',
      'you@ex',
      'you@example.com',
      'laravel',
      'exam',
      'example.com',
      `hello@${own}`,
    ]
    for (const text of [
      ...texts,
      'to:you',
      'to:exam',
      'to:you@',
      '"you',
      'event:',
      'event:deliv',
      'after:2026-0',
    ])
      await typed(text)
    await field.fill('nobody@example.com')
    await page.getByRole('heading', { name: 'No emails found' }).waitFor()
    // Reached by a link, it is no mistake either.
    await page.goto(`${stage.service.url}/console${list}?tag=kind:typing&q=you@ex`)
    await row(page, id).waitFor()
  })

  test('selects no emails by an unfinished search, and names the missing part', async (t) => {
    for (const nth of [1, 2]) await stage.send({ subject: `Unfinished ${nth}`, to: `half${nth}@x.test` })
    const visit = await stage.visit(t, list)
    visit.expect(/status of 422 .*\/emails\?/)
    const { page } = visit
    const field = page.getByRole('combobox', { name: 'Search emails' })
    const problem = page.locator('#emails-search-problem')
    await field.fill('subject:unfinished after:2026-1')
    await page.waitForURL(/after%3A2026-1$/)
    await page.getByRole('checkbox', { name: 'Select Unfinished 1,' }).click()
    await problem.filter({ hasText: '"after:" needs a date' }).waitFor()
    const bar = page.getByRole('region', { name: 'Selected rows' })
    await bar.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByRole('alert').filter({ hasText: '"after:" needs a date' }).waitFor()
    await bar.getByText('1 selected').waitFor()
    assert.equal(await rows(page).count(), 2)
    assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 1)
    assert.deepEqual(await visit.barriers(), [])
    // By a link, it finds nothing.
    await page.reload()
    await page.getByRole('alert').filter({ hasText: '"after:" needs a date' }).waitFor()
    assert.equal(await rows(page).count(), 0)
  })

  test('keeps the shown emails while a filter is mistyped, and explains the mistake', async (t) => {
    const id = await stage.send({ subject: 'Stays in sight', to: 'dora@example.test' })
    const visit = await stage.visit(t, list)
    visit.expect(/status of 422 .*\/emails\?/)
    const { page } = visit
    const field = page.getByRole('combobox', { name: 'Search emails' })
    const problem = page.locator('#emails-search-problem')
    await row(page, id).waitFor()
    await page.keyboard.press('/')
    const halves: [typed: string, said: RegExp][] = [
      ['to: sight', /"to:" needs a value directly after it, such as to:ada@example\.com/],
      ['sight after:2026-02-30', /"after:" needs a date like 2026-01-31/],
      ['sight event:bux', /no event "bux"/],
      ['sight form:ada', /no filter "form:"/],
    ]
    for (const [typed, said] of halves) {
      await field.fill(typed)
      await problem.filter({ hasText: said }).waitFor()
      await row(page, id).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
      assert.deepEqual(await visit.barriers(), [])
    }
    const asText = page.getByRole('button', { name: 'Search for “form:ada”' })
    await asText.click()
    await page.waitForURL(/q=sight\+%22form%3Aada%22/)
    await page.goto(`${stage.service.url}/console${list}?q=form%3Aada`)
    await page.getByRole('alert').filter({ hasText: 'no filter "form:"' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
    await asText.click()
    await until(async () => (await field.inputValue()) === '"form:ada"', 'a search for the text')
    await page.getByText('No emails found').first().waitFor()
    await field.fill('sight to:dora@example.test')
    await page.waitForURL(/q=sight\+to%3Adora/)
    assert.equal(await problem.count(), 0)
    await row(page, id).waitFor()
    assert.equal(await rows(page).count(), 1)
    // A mistake then leaves that as it is, too.
    await field.fill('sight to:dora to:ada')
    await problem.filter({ hasText: 'given twice' }).waitFor()
    assert.equal(await rows(page).count(), 1)
    await page.getByRole('button', { name: 'Clear the search field' }).click()
    await page.waitForURL(new RegExp(`${list}$`))
    assert.equal(await problem.count(), 0)
  })

  test('completes a search by keys, from the names of filters and their values', async (t) => {
    await stage.service.key(stage.company.id, { name: 'billing app' })
    const id = await stage.send({ subject: 'Completed', tags: [{ name: 'kind', value: 'receipt' }] })
    const visit = await stage.visit(t, list)
    // The name of a key that is still being typed is that of no key.
    visit.expect(/status of 422 .*\/emails\?/, /status of 404 .*\/emails\?q=tag%3Akind%3Areceipt\+key%3Ab/)
    const { page } = visit
    const field = page.getByRole('combobox', { name: 'Search emails' })
    const option = (name: RegExp) => page.getByRole('option', { name })
    await row(page, id).waitFor()
    await page.keyboard.press('/')
    await option(/^to: a recipient/).waitFor()
    assert.equal(await field.getAttribute('aria-expanded'), 'true')
    assert.deepEqual(await visit.barriers(), [])
    // Escape leaves what is typed, and goes one step at a time.
    await page.keyboard.type('ta')
    await option(/^tag: a name, a value/).waitFor()
    assert.equal(await page.getByRole('option').count(), 1)
    await page.keyboard.press('Escape')
    await option(/^tag:/).waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), 'ta')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const active = await field.getAttribute('aria-activedescendant')
    assert.match(await page.locator(`[id="${active}"]`).innerText(), /^tag:/)
    await page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'tag:')
    await page.keyboard.type('rec')
    await option(/^tag:kind:receipt/).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=tag%3Akind%3Areceipt$/)
    await row(page, id).waitFor()
    assert.equal(await rows(page).count(), 1)
    await page.keyboard.type('key:bil')
    await option(/^key:"billing app"/).click()
    await page.waitForURL(/key%3A%22billing\+app%22$/)
    await page.getByRole('heading', { name: 'No emails found' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'BODY')
    assert.match(await field.inputValue(), /billing app/)

    await page.getByRole('button', { name: 'Search help' }).click()
    await page.getByRole('dialog', { name: 'Search help' }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Escape')
  })

  test('finds words of texts and replies, and shows them', async (t) => {
    const id = await stage.send({ subject: 'On its way', text: 'Hello,\n\nyour parcel QX-5519 has left.' })
    const bounced = await stage.send({ subject: 'Refused', to: 'bounced@simulator.test' })
    await until(async () => {
      const [found] = await stage.service.store.summaries([bounced], 1)
      return found?.lastEvent === 'bounced'
    }, 'the bounce')
    const visit = await stage.visit(t, `${list}?q=qx-5519`)
    const { page } = visit
    await row(page, id).getByText('In the text:').waitFor()
    assert.match(await words(page, id), /In the text: ?Hello, your parcel QX-5519 has left\./)
    assert.equal(await rows(page).count(), 1)
    assert.deepEqual(await visit.barriers(), [])
    await page.goto(page.url().replace('qx-5519', 'reply:mailbox'))
    await row(page, bounced).getByText('In the reply:').waitFor()
  })

  test('finds mail to a domain, says how much there is, and keeps searches as views', async (t) => {
    const [one, two] = [
      await stage.send({ subject: 'To the north', to: 'a@north.example' }),
      await stage.send({ subject: 'To the south', to: 'a@south.example' }),
    ]
    const { settings, store } = stage.service
    const op = operationOn(settings, store, OPERATOR, await store.accounts())
    const counted = async () => {
      const { busiest } = await showDestinations(op, { span: 'month', limit: 200 })
      return busiest!.some(({ key }) => key === 'north.example')
    }
    await until(counted, 'the mail to be counted')
    const visit = await stage.visit(t, list)
    // The name of a domain that is still being typed is invalid.
    visit.expect(/status of 422 .*\/emails\?/)
    const { page } = visit
    await row(page, two).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('to:@nor')
    await page.getByRole('option', { name: 'to:@north.example' }).click()
    await row(page, two).waitFor({ state: 'detached' })
    await row(page, one).waitFor()
    const found = page.getByRole('status').filter({ hasText: /^1 email$/ })
    await found.waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await row(page, two).waitFor()

    await page.getByRole('button', { name: 'Recipient', exact: true }).click()
    await page.getByRole('combobox', { name: 'Recipient' }).fill('south')
    await page.getByRole('option', { name: /^south\.example/ }).click()
    await page.waitForURL(/emails\?to=south\.example$/)
    await row(page, one).waitFor({ state: 'detached' })
    await found.waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('The south')
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await row(page, one).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('link', { name: 'The south', exact: true }).click()
    await page.waitForURL(/emails\?to=south\.example$/)
    await row(page, one).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('button', { name: 'Remove the view The south' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByRole('button', { name: 'Views' }).waitFor({ state: 'detached' })
  })

  test('offers domains, keys and tags, and takes each filter away by itself', async (t) => {
    const { domain } = stage
    const key = await stage.service.key(stage.company.id, { name: 'shop backend' })
    const send = (body: Record<string, string>) =>
      fetch(`${stage.service.url}/v3/${domain}/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`api:${key.token}`)}` },
        body: new URLSearchParams({ from: `shop@${domain}`, to: 'eve@example.test', text: 'Hi', ...body }),
      })
    const plain = await stage.send({ subject: 'By another key' })
    assert.equal((await send({ subject: 'Of the form', 'o:tag': 'autumn' })).status, 200)
    const visit = await stage.visit(t, list)
    const { page } = visit
    const found = rows(page).filter({ hasText: 'Of the form' })
    await found.waitFor()
    const choose = async (label: string, part: string, option: RegExp) => {
      await page.getByRole('button', { name: label, exact: true }).click()
      await page.getByRole('combobox', { name: label, exact: true }).fill(part)
      await page.getByRole('option', { name: option }).waitFor()
      assert.deepEqual(await visit.barriers(), [])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    }
    await choose('Key', 'backend', /^shop backend/)
    await page.waitForURL(/key=shop\+backend$/)
    await row(page, plain).waitFor({ state: 'detached' })
    await found.waitFor()
    await choose('Domain', domain.slice(0, 3), new RegExp(`^${domain}`))
    await choose('Tag', 'aut', /^autumn/)
    await page.waitForURL(/tag=autumn/)
    // As it reads in the list, whichever API it came by.
    await found.waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.getByRole('button', { name: 'Remove the filter: Key' }).click()
    await page.getByRole('button', { name: 'Remove the filter: Domain' }).click()
    await page.waitForURL(/emails\?tag=autumn$/)
    await found.waitFor()
    await page.getByRole('button', { name: 'Remove the filter: Tag' }).click()
    await page.waitForURL(new RegExp(`${list}$`))
    await row(page, plain).waitFor()
    // Nobody else's names are offered.
    const other = await stage.service.tenant('hidden.test')
    await page.getByRole('button', { name: 'Domain', exact: true }).click()
    await page.getByRole('combobox', { name: 'Domain', exact: true }).fill('hidden')
    await page.getByText('No matches').waitFor()
    assert.ok(other.company.id !== stage.company.id)
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Domain', exact: true }).waitFor({ state: 'detached' })
  })

  test('goes by keys from row to row and into an email, and keeps the place', async (t) => {
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.unshift(await stage.send({ subject: `Key ${n}` }))
    // Without room for an email beside the list.
    const { page } = await stage.visit(t, list, { viewport: { ...DESKTOP, width: 1_200 } })
    await row(page, ids[0]!).waitFor()
    const at = () => page.evaluate<string | null>("document.activeElement.getAttribute('data-email')")
    const goes = async (key: string, id: string) => {
      await page.keyboard.press(key)
      await until(async () => (await at()) === id, `${key} to lead to ${ids.indexOf(id)}`)
    }
    await goes('j', ids[0]!)
    await goes('j', ids[1]!)
    await goes('j', ids[2]!)
    await goes('k', ids[1]!)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/emails/${ids[1]}`)
    await page.goBack()
    await page.locator(`[data-email="${ids[1]}"][data-selected]`).waitFor()
    await goes('j', ids[2]!)
  })

  test('is accessible on a phone and in dark mode', async (t) => {
    const id = await stage.send({
      subject: 'A subject that is rather long for a phone, as they often are',
      tags: [{ name: 'kind', value: 'long' }],
    })
    const visit = await stage.visit(t, list)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [PHONE, DESKTOP]) {
        await visit.reloadWith({ colorScheme, viewport })
        await row(visit.page, id).filter({ hasText: 'Captured' }).waitFor()
        assert.deepEqual(await visit.barriers(), [])
        const wide = await visit.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(wide <= 0, `${wide} px too wide`)
        const shot = process.env.POSTROAD_TEST_SHOTS
        if (shot)
          await visit.page.screenshot({
            path: `${shot}/emails-${colorScheme}-${viewport === PHONE ? 'phone' : 'desk'}.png`,
          })
      }
    }
  })

  test('shows an email beside the list, and goes on to the next by the arrow keys', async (t) => {
    const { company } = await stage.service.tenant('beside.test')
    await fill(stage.service, company, 400)
    const visit = await stage.visit(t, `/c/${company.id}/emails`)
    const { page } = visit
    const letter = (number: number) =>
      rows(page).filter({ has: page.getByText(`Letter ${number}`, { exact: true }) })
    await letter(399).waitFor()
    await page.evaluate('scrollBy(0, 4_000)')
    await letter(300).click()
    const beside = page.getByRole('region', { name: 'Selected email' })
    await beside.getByRole('heading', { name: 'Letter 300' }).waitFor()
    await beside.getByRole('tab', { name: 'Text' }).waitFor()
    await page.waitForURL(/emails\?open=[0-9a-f-]{36}$/)
    assert.deepEqual(await visit.barriers(), [])
    const isInSight = async (number: number) => {
      const { y, height } = (await letter(number).boundingBox())!
      return y >= 0 && y + height <= DESKTOP.height
    }
    assert.ok(await isInSight(300), 'the row stays in sight')

    await letter(300).focus()
    for (let count = 0; count < 20; count++) await page.keyboard.press('ArrowDown')
    await beside.getByRole('heading', { name: 'Letter 280' }).waitFor()
    assert.ok(await isInSight(280), 'the list follows')
    await page.keyboard.press('k')
    await beside.getByRole('heading', { name: 'Letter 281' }).waitFor()

    await page.keyboard.press('Escape')
    await beside.waitFor({ state: 'detached' })
    assert.ok(await isInSight(281), 'and stays there')
    await page.waitForURL(/emails$/)

    await page.keyboard.press('o')
    await beside.getByRole('heading', { name: 'Letter 281' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Letter 281', level: 1 }).waitFor()
    await page.goBack()
    await beside.getByRole('heading', { name: 'Letter 281' }).waitFor()

    // One after the other where both have no room.
    await page.setViewportSize(PHONE)
    await beside.waitFor({ state: 'detached' })
    await rows(page).first().click()
    await page.getByRole('heading', { level: 1, name: /Letter/ }).waitFor()
  })

  test('has the emails of all companies for operators, each with its company', async (t) => {
    const other = await stage.service.tenant('other.test')
    await fill(stage.service, other.company, 1)
    const own = await stage.send({ subject: 'Of the first' })
    const { page } = await stage.visit(t, '/c/all/emails')
    await row(page, own).filter({ hasText: stage.company.name }).waitFor()
    await rows(page).filter({ hasText: other.company.name }).waitFor()
  })

  test('scrolls through a hundred thousand, and lets nothing jump when more comes', async (t) => {
    const { company, key } = await stage.service.tenant('many.test')
    await fill(stage.service, company, MANY)
    // Without room for an email beside the list.
    const viewport = { ...DESKTOP, width: 1_200 }
    const { page } = await stage.visit(t, `/c/${company.id}/emails`, { viewport })
    await isLive(page)
    await rows(page)
      .first()
      .filter({ hasText: `Letter ${MANY - 1}` })
      .waitFor()
    const inSight = `Letter ${MANY - 3_000}`
    while ((await page.getByText(inSight, { exact: true }).count()) === 0) {
      await page.evaluate('scrollBy(0, 20 * innerHeight)')
      // As many as can be seen, however many there are.
      assert.ok((await rows(page).count()) < 80)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
    await page.getByText(inSight, { exact: true }).scrollIntoViewIfNeeded()
    const place = () => page.getByText(inSight, { exact: true }).boundingBox()
    // A person comes back to the same place.
    await page.getByText(inSight, { exact: true }).click()
    await page.waitForURL(/emails\/[0-9a-f-]{36}$/)
    await page.goBack()
    await page.getByText(inSight, { exact: true }).waitFor()
    const before = await place()
    assert.ok(before)
    const response = await fetch(`${stage.service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: 'a@many.test', to: 'b@example.test', subject: 'News', text: 'Hi' }),
    })
    assert.equal(response.status, 200)
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assert.deepEqual(await place(), before)
    await page.getByRole('button', { name: '1 new' }).click()
    await rows(page).first().filter({ hasText: 'News' }).waitFor()
  })
})

describe('a page under which the service restarts', { skip: withoutBrowser() }, () => {
  test('reports that, and misses nothing', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`)
    visit.expect(UNREACHABLE)
    const { page } = visit
    const before = await stage.send({ subject: 'Before' })
    await row(page, before).filter({ hasText: 'Captured' }).waitFor()
    await isLive(page)
    await stage.service.stop()
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    const { hostname, port } = new URL(stage.service.url)
    const settings = { ...stage.service.settings, listen: { host: hostname, port: Number(port) } }
    const app = await startApp(settings, createLogger('silent'))
    t.after(() => app.close())
    const during = await stage.send({ subject: 'While nobody listened' })
    await row(page, during).filter({ hasText: 'Captured' }).waitFor()
    await isLive(page)
    await row(page, before).waitFor()
    const then = await stage.send({ subject: 'And then' })
    await row(page, then).waitFor()
  })

  test('an hour without a network loses nothing, and the page catches up when it is back', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const { hostname, port } = new URL(stage.service.url)
    await using way = await SeverableWay.to(hostname, Number(port))
    const url = `http://${hostname}:${way.port}`
    const visit = await Visit.begin(t, stage.browser, url, { ownTab: true })
    visit.expect(UNREACHABLE)
    const { page, context } = visit
    await context.addCookies([await stage.sessionCookie(stage.operator)])
    await page.clock.install()
    await page.goto(`${url}/console/c/${stage.company.id}/emails`)
    await isLive(page)
    const before = await stage.send({ subject: 'Before' })
    await row(page, before).filter({ hasText: 'Captured' }).waitFor()
    way.sever()
    const during: string[] = []
    for (let tens = 0; tens < 6; tens++) {
      await page.clock.fastForward('10:00')
      during.push(await stage.send({ subject: `After ${tens}0 minutes` }))
    }
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    await row(page, before).waitFor()
    const search = page.getByRole('combobox', { name: 'Search emails' })
    await search.pressSequentially('minutes')
    way.mend()
    // Longer than the longest pause between two tries to reconnect.
    await page.clock.fastForward('00:15')
    await isLive(page)
    for (const id of during) await row(page, id).waitFor()
    assert.equal(await search.inputValue(), 'minutes')
    await search.fill('')
    for (const id of [before, ...during]) await row(page, id).filter({ hasText: 'Captured' }).waitFor()
  })

  test('with more tabs than the browser has connections, each shows everything as soon as it is looked at', async (t) => {
    const stage = await Stage.open()
    t.after(() => stage.close())
    const list = `/c/${stage.company.id}/emails`
    const visit = await stage.visit(t, list, { ownTab: true })
    visit.expect(UNREACHABLE)
    const { context } = visit
    // Of the tabs of a window one is visible. The browser under test shows all: the pages are told otherwise.
    await context.addInitScript(`
      Object.defineProperty(document, 'hidden', { get: () => window.looked !== true })
      Object.defineProperty(document, 'visibilityState', { get: () => document.hidden ? 'hidden' : 'visible' })
    `)
    const faults: string[] = []
    const tabs: Page[] = []
    for (let nth = 1; nth < TABS; nth++) {
      const tab = await context.newPage()
      tab.on('pageerror', (error) => faults.push(error.message))
      await tab.goto(`${stage.service.url}/console${list}`)
      await tab.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
      tabs.push(tab)
    }
    const { hostname, port } = new URL(stage.service.url)
    const sent: string[] = []
    const send = async (subject: string) => void sent.push(await stage.send({ subject }))
    for (let nth = 0; nth < 10; nth++) await send(`Before ${nth}`)
    await stage.service.stop()
    const settings = { ...stage.service.settings, listen: { host: hostname, port: Number(port) } }
    const app = await startApp(settings, createLogger('silent'))
    t.after(() => app.close())
    for (let nth = 0; nth < 10; nth++) await send(`After ${nth}`)
    await row(visit.page, sent.at(-1)!).filter({ hasText: 'Captured' }).waitFor()
    for (const tab of tabs) {
      await tab.evaluate("window.looked = true; document.dispatchEvent(new Event('visibilitychange'))")
      await row(tab, sent.at(-1)!).filter({ hasText: 'Captured' }).waitFor()
      const shown = await tab.evaluate<string[]>(
        "Array.from(document.querySelectorAll('[data-email]'), (row) => row.dataset.email)",
      )
      assert.deepEqual(shown, sent.toReversed())
      await tab.evaluate("window.looked = false; document.dispatchEvent(new Event('visibilitychange'))")
      await tab.close()
    }
    assert.deepEqual(faults, [])
  })
})
