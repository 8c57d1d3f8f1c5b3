/** The page of one email, as people use it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { selfSigned } from '../../harness/certificate.ts'
import { startDns } from '../../harness/dns.ts'
import { relayAt } from '../delivery/route/rig.ts'
import { withoutBrowser } from '../support/browser.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { Stage } from './stage.ts'
import { PHONE } from './visit.ts'

describe('the page of an email', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let sink: Sink
  before(async () => {
    sink = await startSink({
      script: ({ step, recipient }) => {
        if (step !== 'rcpt') return undefined
        if (recipient?.startsWith('later@')) return { reply: '451 4.7.1 Greylisted, try again later' }
        return recipient?.startsWith('gone@') ? { reply: '550 5.1.1 No such user here' } : undefined
      },
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

  const at = (id: string, rest = '') => `/c/${stage.company.id}/emails/${id}${rest}`

  test('says in one sentence where it is, why, and when it is tried again', async (t) => {
    const id = await stage.send({ to: 'later@x.test', subject: 'Wait' })
    const { page } = await stage.visit(t, at(id), { viewport: { width: 1_600, height: 900 } })
    const standing = page.getByRole('status', { name: 'Status' })
    await standing.getByText(/Greylisted/).waitFor()
    const text = await standing.innerText()
    assert.match(text, /Deferred by .*127\.0\.0\.1/)
    assert.match(text, /gives up .*Last answer: .*451 .*Greylisted, try again later\./s)
    assert.match(
      text,
      /Next attempt \(2 of 3\) (\w+ \w+, )?\d\d:\d\d:\d\d \(in (1 h( \d min)?|59 min)\); gives up .+ \(in (2 h( \d+ min)?|1 h 59 min)\)\./,
    )
    await standing.getByText(/asks new senders to try again later/).waitFor()
    await standing.getByText('Retrying attempt 2 of 3', { exact: true }).waitFor()
    const attempt = page.getByRole('button', { name: /Attempt 1 at .*: 451/ })
    // Attempts without an event between them lie close together (WCAG 2.2, 2.5.8).
    assert.ok((await attempt.boundingBox())!.height >= 24)
    await attempt.click()
    const dialogue = page.getByRole('log', { name: 'SMTP dialogue' })
    await dialogue.getByText('RCPT TO:<later@x.test>').waitFor()
    await page.getByText('Not encrypted.').waitFor()

    // What is done is seen at once, without a look at anything else.
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel email' }).click()
    await standing.getByText('Canceled before it was sent.').waitFor()
  })

  test('suppresses an address, and says where it is suppressed already', async (t) => {
    const id = await stage.send({ to: 'Listed@x.test', subject: 'Once' })
    const visit = await stage.visit(t, at(id))
    const { page } = visit
    await page.getByRole('button', { name: 'Suppress this address' }).click()
    await page.getByRole('button', { name: 'Suppress address' }).click()
    await page.getByText(/Listed@x\.test has been on the suppression list since/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Suppress this address' }).count(), 0)
    await page.getByRole('link', { name: 'on the suppression list' }).click()
    await page.waitForURL(/suppressions\?term=/)
    await page.getByRole('table').getByText('listed@x.test').first().waitFor()
  })

  test('an attempt shows its encryption and the rule that required it', async (t) => {
    await using mx = await startSink({ tls: selfSigned(['mx.x.test']) })
    const dns = await startDns({
      'x.test/MX': { values: ['10 mx.x.test'], secure: true },
      'mx.x.test/A': { values: ['127.0.0.1'], secure: true },
      // No client can use this record, so TLS is demanded with any certificate.
      [`_${mx.port}._tcp.mx.x.test/TLSA`]: { values: ['3 9 1 00'], secure: true },
    })
    t.after(() => dns.close())
    const direct = await Stage.open({
      ...{ delivery: { kind: 'direct' }, dnsServers: [dns.address], smtpPort: mx.port },
      ...{ allowPrivateNetworks: true, hostname: 'out.acme.test' },
    })
    const id = await direct.send({ to: 'jane@x.test', subject: 'Secret' })
    const { page } = await direct.visit(t, `/c/${direct.company.id}/emails/${id}`)
    // After the page, which would look for the service.
    t.after(() => direct.close())
    await page.getByRole('button', { name: /Attempt 1 at .*: 250/ }).click()
    await page
      .getByText(
        /^Encrypted with .*TLSv1\.3, TLS_\w+.*; certificate not verified: .*SELF_SIGNED_CERT.*\. The recipient’s domain \(DANE\) demands encryption\.$/,
      )
      .waitFor()
  })

  test('live: the page shows the outcome of an email without a click', async (t) => {
    const id = await stage.send({ to: 'gone@x.test', subject: 'Gone' })
    const { page } = await stage.visit(t, at(id))
    const standing = page.getByRole('status', { name: 'Status' })
    await standing.getByText(/Rejected permanently .*No such user here/).waitFor()
  })

  test('of several recipients the worst outcome stands at the head', async (t) => {
    const id = await stage.send({ to: ['gone@both.test', 'ada@both.test'], subject: 'Both' })
    const { page } = await stage.visit(t, at(id))
    const standing = page.getByRole('status', { name: 'Status' })
    await standing.getByText('Bounced 1 of 2').waitFor()
    await standing.getByText(/2 recipients: 1 delivered, 1 bounced\./).waitFor()
  })

  test('the page and the list show waiting mail beside bounced mail', async (t) => {
    const id = await stage.send({
      to: ['gone@part.test', 'later@part.test', 'ada@part.test'],
      subject: 'Part',
    })
    const visit = await stage.visit(t, at(id))
    const { page } = visit
    const standing = page.getByRole('status', { name: 'Status' })
    await standing.getByText('Bounced 1 of 3, 1 retrying').waitFor()
    await standing.getByText(/3 recipients: 1 delivered, 1 retrying, 1 bounced\./).waitFor()
    await standing
      .getByText(/later@part\.test.*: Deferred by .*Next attempt \(2 of 3\) .*; gives up /)
      .waitFor()
    await standing.getByText(/Last answer: .*451/).waitFor()
    const row = page.getByRole('list', { name: 'Recipients' }).getByRole('listitem')
    const waiting = row.filter({ hasText: 'later@part.test' })
    const isInSight = async (words: RegExp) => {
      const part = waiting.getByText(words).filter({ visible: true }).last()
      await part.waitFor()
      // Words that are drawn anew have no place for a moment.
      const [outer, inner] = await until(async () => {
        const boxes = [await waiting.boundingBox(), await part.boundingBox()] as const
        return boxes[0] !== null && boxes[1] !== null && ([boxes[0], boxes[1]] as const)
      }, `${words} to have a place`)
      assert.ok(inner.x + Math.min(inner.width, 60) <= outer.x + outer.width, String(words))
    }
    for (const width of [1_440, 390]) {
      await visit.show({ viewport: { width, height: 900 } })
      for (const words of [/attempt 2 of 3/, /^next try (\w+ \w+, )?\d\d:\d\d:\d\d$/, /451/])
        await isInSight(words)
    }
    await visit.show({})
    await waiting.getByRole('button').click()
    await waiting.getByText(/^Next attempt (?!was due).*\(in /).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails`)
    await page.locator(`[data-email="${id}"]`).getByText('Bounced 1 of 3, 1 retrying').waitFor()
  })

  test('lists many recipients, failed ones first, filtered by state and by a part of the address', async (t) => {
    const to = Array.from({ length: 48 }, (_, index) => `reader${index}@many.test`)
    const id = await stage.send({ to: [...to, 'gone@many.test', 'later@many.test'], subject: 'Many' })
    const visit = await stage.visit(t, at(id))
    const { page } = visit
    const list = page.getByRole('list', { name: 'Recipients' })
    const row = list.getByRole('listitem')
    await row
      .first()
      .filter({ hasText: /Bounced.*gone@many\.test/s })
      .waitFor()
    await row
      .nth(1)
      .filter({ hasText: /Retrying.*later@many\.test/s })
      .waitFor()
    assert.ok((await row.count()) < 40, 'only the rows in sight are rendered')
    await row.first().getByRole('button').click()
    await row
      .first()
      .getByText(/Rejected permanently .*No such user here/)
      .waitFor()
    await row
      .first()
      .getByRole('button', { name: /Attempt 1/ })
      .waitFor()
    assert.deepEqual(await visit.barriers(), [])

    const states = page.getByRole('group', { name: 'Recipients by status' })
    await states.getByRole('button', { name: 'Retrying 1' }).click()
    await row.filter({ hasText: 'gone@many.test' }).waitFor({ state: 'detached' })
    assert.equal(await row.count(), 1)
    await states.getByRole('button', { name: 'All 50' }).click()
    await page.getByRole('textbox', { name: 'Search recipients' }).fill('READER47')
    await row.filter({ hasText: 'reader46@many.test' }).waitFor({ state: 'detached' })
    await row.filter({ hasText: 'reader47@many.test' }).waitFor()
  })

  test('recipients are chosen with mouse and keys, and retried, canceled or suppressed together', async (t) => {
    const to = Array.from({ length: 118 }, (_, index) => `later@host${index}.test`)
    const id = await stage.send({ to: [...to, 'gone@host.test', 'ok@host.test'], subject: 'Chosen' })
    const visit = await stage.visit(t, at(id))
    const { page } = visit
    const list = page.getByRole('list', { name: 'Recipients' })
    const row = (address: string) => list.getByRole('listitem').filter({ hasText: address })
    const bar = page.getByRole('region', { name: 'Selected rows' })
    const states = page.getByRole('group', { name: 'Recipients by status' })
    await states.getByRole('button', { name: 'Retrying 118' }).waitFor()
    await list.getByRole('checkbox', { name: 'Select gone@host.test' }).check()
    await bar.getByText('1 selected').waitFor()
    await row('gone@host.test').getByRole('button').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('X')
    await bar.getByText('3 selected').waitFor()
    await page.keyboard.press('x')
    await bar.getByText('2 selected').waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 recipients?' })
    await dialog.getByRole('button', { name: 'Cancel 2 recipients' }).click()
    await dialog.getByText('2 of 2. 1 recipient canceled. 1 could not be changed.').waitFor()
    await dialog.getByRole('row', { name: /gone@host\.test Nothing to cancel: it is bounced/ }).waitFor()
    assert.deepEqual(await visit.barriers(), [])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await bar.waitFor({ state: 'detached' })

    await states.getByRole('button', { name: 'Retrying 117' }).click()
    await list.getByRole('checkbox').first().check()
    await bar.getByRole('button', { name: 'Select all that match' }).click()
    await bar.getByText('117 selected').waitFor()
    await bar.getByRole('button', { name: 'Suppress' }).click()
    const suppression = page.getByRole('dialog', { name: 'Suppress 117 recipients?' })
    await suppression.getByRole('button', { name: 'Suppress 117 recipients' }).click()
    await suppression.getByText('117 of 117. 117 recipients suppressed.').waitFor()
    await suppression.getByRole('button', { name: 'Done' }).click()
    const listed = await stage.service.store.listSuppressions({ companyId: stage.company.id, limit: 500 })
    assert.equal(listed.filter(({ address }) => address.startsWith('later@host')).length, 117)

    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    const { page: other } = await stage.visit(t, at(id), { as: viewer })
    const theirs = other.getByRole('list', { name: 'Recipients' })
    await theirs.getByRole('listitem').first().waitFor()
    assert.equal(await theirs.getByRole('checkbox').count(), 0)
  })

  test('has its message beside its recipients, and on a phone below a few of them', async (t) => {
    const to = Array.from({ length: 40 }, (_, index) => `reader${index}@wide.test`)
    const tags = Array.from({ length: 40 }, (_, index) => ({ name: `tag${index}`, value: 'x' }))
    const id = await stage.send({ to, tags, subject: 'So long a subject. '.repeat(40) })
    const visit = await stage.visit(t, at(id))
    const { page } = visit
    const message = page.getByRole('region', { name: 'Content' })
    await message.waitFor()
    const top = async () => (await message.boundingBox())!.y
    assert.ok((await top()) < 500, `at ${await top()}`)
    await page.getByRole('button', { name: 'more', exact: true }).first().click()
    await page.getByText('tag39: x').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: '28 more' }).click()
    await page.getByText('tag39: x').waitFor()
    await visit.reloadWith({ viewport: PHONE })
    await message.waitFor()
    assert.ok((await top()) < 1_000, `on a phone at ${await top()}`)
  })

  test('shows each side of its content at an address of its own', async (t) => {
    const id = await stage.send({
      subject: 'Content',
      html: '<p>Hello <b>you</b>, <a href="https://shop.test/x">buy</a></p>',
      attachments: [{ filename: 'note.txt', content: 'aGk=' }],
    })
    const { page, context } = await stage.visit(t, at(id))
    const frame = page.frameLocator('iframe[title="HTML preview"]')
    await frame.getByText('Hello you').waitFor()
    const [popup] = await Promise.all([context.waitForEvent('page'), frame.getByText('buy').click()])
    await popup.getByRole('heading', { name: 'This link leads out of Postroad' }).waitFor()
    await popup.getByText('https://shop.test/x').waitFor()
    await popup.close()

    await page.getByText('Phone', { exact: true }).click()
    await page.waitForURL(/width=phone/)
    assert.equal((await page.locator('iframe').boundingBox())!.width, 375)

    await page.getByRole('tab', { name: 'Text' }).click()
    await page.waitForURL(/tab=text/)
    await page.getByRole('tabpanel').getByText('Hello you').waitFor()
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByRole('rowheader', { name: 'DKIM-Signature' }).waitFor()
    await page.getByRole('tab', { name: 'Source' }).click()
    await page.getByRole('textbox', { name: 'Source of the email' }).waitFor()
    await page.getByRole('heading', { name: 'DKIM signatures' }).waitFor()
    await page.getByRole('tab', { name: 'Attachments' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download note.txt' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'note.txt')
    await page.reload()
    await page.getByText('note.txt').waitFor()
  })

  test('shows pictures, gives other files to download, and its source is searched and wrapped', async (t) => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const id = await stage.send({
      attachments: [
        { filename: 'logo.png', content: pixel },
        { filename: 'report.pdf', content: btoa('%PDF-1.4'), content_type: 'application/pdf' },
      ],
    })
    const visit = await stage.visit(t, at(id, '?tab=attachments'), { viewport: PHONE })
    const { page } = visit
    const picture = page.getByRole('img', { name: 'Preview of logo.png' })
    await picture.waitFor()
    await page.waitForFunction("document.querySelector('li img').naturalWidth === 1")
    assert.equal(await page.getByRole('listitem').filter({ hasText: 'report.pdf' }).locator('img').count(), 0)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download report.pdf' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'report.pdf')

    await page.getByRole('tab', { name: 'Source' }).click()
    // On a phone, too, it says how each part is built.
    await page.locator('tr').filter({ hasText: 'report.pdf' }).getByText('base64').waitFor()
    const source = page.getByRole('textbox', { name: 'Source of the email' })
    const wraps = page.getByRole('button', { name: 'Wrap lines' })
    await source.waitFor()
    assert.match((await source.getAttribute('class')) ?? '', /cm-lineWrapping/)
    await wraps.click()
    assert.doesNotMatch((await source.getAttribute('class')) ?? '', /cm-lineWrapping/)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('multipart/mixed')
    await page.locator('.cm-searchMatch').first().waitFor()
    assert.deepEqual(await visit.barriers(), [])
  })

  test('goes to the next email with j and back with k', async (t) => {
    const older = await stage.send({ subject: 'Older one' })
    const newer = await stage.send({ subject: 'Newer one' })
    const { page } = await stage.visit(t, at(newer))
    await page.getByRole('heading', { name: 'Newer one', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Older email (j)' }).and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'Older one', level: 1 }).waitFor()
    assert.ok(page.url().includes(older))
    await page.getByRole('button', { name: 'Newer email (k)' }).and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'Newer one', level: 1 }).waitFor()
  })

  test('sends it again, and gives it as a request without the key', async (t) => {
    const id = await stage.send({ subject: 'Once more' })
    const { page } = await stage.visit(t, at(id))
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Authorization: Bearer $POSTROAD_KEY').waitFor()
    assert.ok(!(await dialog.innerText()).includes(stage.key))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('dialog').getByLabel('Other recipients').check()
    await page.getByRole('dialog').getByLabel('Address').fill('other@x.test')
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByRole('link', { name: 'View the new email' }).click()
    await page.getByText('other@x.test').first().waitFor()
    assert.ok(!page.url().includes(id))
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`has no accessibility barriers, on a phone and in ${colorScheme}`, {
      timeout: 90_000,
    }, async (t) => {
      const id = await stage.send({ to: 'gone@x.test', cc: 'you@x.test', subject: `Seen in ${colorScheme}` })
      const visit = await stage.visit(t, at(id), { colorScheme, viewport: PHONE })
      const { page } = visit
      await page.getByText('No such user here').first().waitFor()
      // Not HTML: axe waits for its script to run in the frame, which runs none.
      for (const tab of ['Text', 'Headers', 'Source', 'Attachments']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.getByRole('tabpanel').waitFor()
        assert.deepEqual(await visit.barriers(), [], tab)
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        assert.equal(wide, false, `${tab} is wider than the phone`)
      }
    })
  }
})
