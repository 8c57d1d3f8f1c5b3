/**
 * Stored cross-site scripting (case 43 of the hostile cases): what strangers have written goes through the real API and
 * comes back in the replies of a real server, and every page that shows it is opened in a browser. Nothing of it runs,
 * asks for anything elsewhere, leads away or opens a dialog.
 */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { NO_CREDENTIALS } from '../../src/people/person.ts'
import { relayAt } from '../delivery/route/rig.ts'
import { withoutBrowser } from '../support/browser.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { type HostileCompany, hostileCompany } from './hostile-company.ts'
import { hostileHtml, hostileTexts, MARK } from './hostile-payloads.ts'
import { PAGES, SIGNED_OUT } from './pages.ts'
import { Stage } from './stage.ts'
import { settled, type Visit } from './visit.ts'

/** What came from their payloads as elements would be found so; in the page, which knows it as text only. */
const FOREIGN = `#root script, #root object, #root embed, #root form[action], #root base, #root meta,
  #root iframe:not([title="HTML preview"]), #root [onerror], #root [onload], #root [ontoggle], #root [onfocus]`

/** Texts of the page that would. */
const TURNED = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode.data
    if (/[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(text)) found.push(escape(text.slice(0, 100)))
  }
  return found
})()`

const TURNING = /[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Texts with which servers defer mail: some turn text around, and some contain elements. */
const TURNING_FIRST = [27, 28, 29, 31, 40, 41, 42, 43, 44, 45]

/** Something of it that has to be there before a page is looked at. */
const SHOWN: Readonly<Record<string, string>> = {
  account: '<img src=x onerror=alert(1)>',
  audit: '<script>',
  installation: '</title><script>',
  keys: '<iframe srcdoc=',
  overview: '<script>',
  suppressions: '<script>',
  team: '<script>',
  webhook: 'answered with 500',
  webhooks: 'hooks.example',
}

describe('hostile content', { skip: withoutBrowser() }, () => {
  let evil: Server
  let origin: string
  const hits: string[] = []
  let texts: string[]
  let pages: string[]
  let sink: Sink
  let stage: Stage
  let receiver: Receiver
  let evilCompany: HostileCompany
  const ids: string[] = []

  before(async () => {
    evil = createServer((request, response) => {
      hits.push(request.url ?? '')
      response.end(`window.${MARK}=1`)
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`
    texts = hostileTexts(origin)
    pages = hostileHtml(origin)
    sink = await startSink({
      script: ({ step, recipient }) => {
        const [, what, index] = /^([nd])(\d+)@/.exec(recipient ?? '') ?? []
        if (step !== 'rcpt' || index === undefined) return undefined
        return { reply: `${what === 'n' ? '550 5.1.1' : '451 4.7.1'} ${textAt(Number(index) + 7)}` }
      },
    })
    stage = await Stage.open({
      ...{ delivery: relayAt(sink.port, { tls: 'off' }), retrySchedule: [3_600_000] },
      allowPrivateNetworks: true,
    })
    receiver = await Receiver.start()
    const lines = texts.map((text) => text.replace(/\p{Cc}/gu, ''))
    evilCompany = await hostileCompany(stage, lines, receiver)
    // What waits for a site stands with its last reply; there are ten of them on a page.
    for (const index of TURNING_FIRST) await stage.send({ to: `d${index}@d${index}.test` })
    for (const [index, html] of pages.entries()) ids.push(await stage.send(message(index, html)))
    await sink.when(() => refusals() >= pages.length, 'an attempt for each of them')
    await sink.when(() => deferrals() >= TURNING_FIRST.length, 'and of what is deferred')
  })
  after(async () => {
    await stage?.close()
    await receiver?.[Symbol.asyncDispose]()
    await sink?.close()
    evil?.close()
  })

  const refusals = () => sink.dialogue.filter((line) => line.includes('S: 550 5.1.1')).length
  const deferrals = () => sink.dialogue.filter((line) => line.includes('S: 451 4.7.1')).length
  const textAt = (index: number) => texts[index % texts.length]!
  /** Each of the places of an email has another: all of them together have all there is. */
  const textIn = (index: number, slot: number) => textAt(index + 20 + slot * 10)

  function message(index: number, html: string) {
    const at = (slot: number) => textIn(index, slot)
    // In names the service takes no characters that turn text around: their directions are tried in the other places.
    const quoted = at(1).replace(TURNING, '').replace(/["\\]/g, '\\$&').slice(0, 200)
    return {
      from: `"${quoted}" <a@${stage.domain}>`,
      to: `n${index}@x.test`,
      subject: at(0),
      text: `${at(2)}\n${at(4)}`,
      html,
      headers: { 'X-Note': at(2) },
      attachments: [
        {
          filename: `${at(3).replace(/[/\\]/g, '_').slice(0, 150)}.html`,
          content: btoa('<script>alert(1)</script>'),
        },
        {
          filename: 'x.svg',
          content_type: 'image/svg+xml',
          content: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        },
      ],
    }
  }

  /** Everything that must never happen is written down. */
  async function watched(
    t: TestContext,
    path: string,
    as = stage.operator,
  ): Promise<{ visit: Visit; page: Page; wrong: string[] }> {
    const visit = await stage.visit(t, path, { as, ownTab: true })
    const { page, context } = visit
    // What the frame's own policy has stopped: its breaches are theirs. Whether any left after all, their server knows.
    visit.expect(/\(csp\)$/, /cid:x/, /\/preview/, new RegExp(origin), /about:srcdoc/, /data:image\/svg/)
    const wrong: string[] = []
    page.on('dialog', (dialog) => {
      wrong.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame() && !frame.url().startsWith(`${stage.service.url}/console/`)) {
        wrong.push(`led away: ${frame.url()}`)
      }
    })
    context.on('page', (opened) => wrong.push(`opened: ${opened.url()}`))
    return { visit, page, wrong }
  }

  async function assertCalm({ page, wrong }: { page: Page; wrong: string[] }): Promise<void> {
    assert.deepEqual(wrong, [])
    assert.deepEqual(hits, [])
    assert.equal(await page.evaluate(`window.${MARK}`), undefined)
    const foreign = await page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(FOREIGN)})].map((each) => each.outerHTML.slice(0, 200))`,
    )
    assert.deepEqual(foreign, [])
    // Nothing turns the text beside it around: such characters are shown by their names.
    const turned = await page.evaluate<string[]>(TURNED)
    assert.deepEqual(turned, [])
  }

  test('there is enough of it, in every place', () => {
    assert.ok(texts.length + pages.length >= 60)
    assert.equal(ids.length, pages.length)
    const shown = new Set(pages.flatMap((_, index) => [0, 1, 2, 3, 4].map((slot) => textIn(index, slot))))
    assert.equal(shown.size, texts.length)
  })

  test('in the list of emails it is text', async (t) => {
    const seen = await watched(t, `/c/${stage.company.id}/emails`)
    await seen.page.getByText('__proto__').first().waitFor()
    await assertCalm(seen)
  })

  test('on the page of each email, with the reply of its server and all of its sides, it is text', async (t) => {
    const seen = await watched(t, `/c/${stage.company.id}/emails/${ids[0]}`)
    const { page } = seen
    for (const [index, id] of ids.entries()) {
      await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${id}`)
      await page
        .getByText(/^Rejected permanently/)
        .first()
        .waitFor()
      const subject = await page.getByRole('heading', { level: 1 }).locator('[dir="auto"]').textContent()
      const plain = textIn(index, 0)
      if (/^[\x20-\x7e]*$/.test(plain)) assert.equal(subject, plain)
      // Characters that turn text around are shown by their names.
      assert.doesNotMatch(subject ?? '', /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/)
      await page.frameLocator('iframe[title="HTML preview"]').locator('html').waitFor({ state: 'attached' })
      await page.getByRole('button', { name: /^Attempt 1/ }).click()
      await page.getByRole('log', { name: 'SMTP dialogue' }).waitFor()
      const tabs = index % 4 === 0 ? ['Text', 'Headers', 'Source', 'Attachments'] : ['Headers', 'Attachments']
      for (const tab of tabs) {
        await page.getByRole('tab', { name: tab }).click()
        await page.getByRole('tab', { name: tab, selected: true }).waitFor()
        if (tab === 'Headers') await page.getByRole('rowheader', { name: 'X-Note' }).first().waitFor()
        if (tab === 'Attachments') await page.getByRole('link', { name: 'Download x.svg' }).waitFor()
        await assertCalm(seen)
      }
    }
  })

  for (const [name, pathOf] of Object.entries(PAGES)) {
    if (name === 'email' || name === 'emails' || SIGNED_OUT.includes(name)) continue
    test(`on the page ${name} it is text`, async (t) => {
      const { webhook, domain, person } = evilCompany
      const { id: company } = stage.company
      const path = pathOf({ company, domain, webhook, email: ids[0]! })
      const seen = await watched(t, path, person)
      const { page } = seen
      await settled(page)
      const mark = SHOWN[name]
      if (mark !== undefined) await page.getByText(mark).first().waitFor()
      await assertCalm(seen)
      if (name === 'webhook') {
        const failed = page.getByRole('article', { name: /attempt 1$/ })
        await failed.first().waitFor()
        for (const nth of [0, 1, 2]) await failed.nth(nth).getByRole('button', { name: 'Details' }).click()
        await page.getByText('"subject"').first().waitFor()
      }
      if (name === 'audit') {
        await page.getByRole('button', { name: 'Show earlier entries' }).click()
        await page.getByText('<base href').first().waitFor()
      }
      await assertCalm(seen)
      if (name === 'domains') await page.getByRole('combobox', { name: 'Company' }).click()
      else await page.keyboard.press('Control+k')
      await page.getByText('<iframe srcdoc=').last().waitFor()
      await assertCalm(seen)
    })
  }

  test('for a viewer as well', async (t) => {
    const viewer = await stage.person({ [stage.company.id]: 'viewer' })
    for (const path of ['webhooks', `webhooks/${evilCompany.webhook}`, 'team', 'overview']) {
      const seen = await watched(t, `/c/${stage.company.id}/${path}`, viewer)
      await settled(seen.page)
      await assertCalm(seen)
    }
  })

  test('unusable lines of a file are shown as text', async (t) => {
    const seen = await watched(t, `/c/${stage.company.id}/suppressions`)
    const { page } = seen
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const quoted = texts.map((text) => `"${text.replaceAll('"', '""').replace(/\p{Cc}/gu, '')}",x`)
    const good = texts.map((_, index) => `imported${index}@x.test,x`)
    const buffer = Buffer.from(`Email,Reason\r\n${[...good, ...quoted].join('\r\n')}\r\n`)
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: '<img src=x onerror=alert(1)>.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText(/invalid$/).waitFor()
    await assertCalm(seen)
  })

  test('a sign-in always leads to a page of this service', async (t) => {
    const evilHost = new URL(origin).host
    for (const to of [
      `//${evilHost}/x`,
      `/\\${evilHost}/x`,
      origin,
      `javascript:alert(1)`,
      `/%2F${evilHost}`,
    ]) {
      const operator = { ...stage.operator, id: randomUUIDv7(), address: null }
      await stage.service.store.addPerson({
        ...operator,
        credentials: { ...NO_CREDENTIALS, password: 'of no use' },
      })
      const link = await stage.link(operator)
      const path = `/sign-in?to=${encodeURIComponent(to)}${link.slice(link.indexOf('#'))}`
      const visit = await stage.visit(t, path, { as: null })
      await visit.page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
      assert.equal(new URL(visit.page.url()).origin, new URL(stage.service.url).origin)
      assert.deepEqual(hits, [])
    }
  })

  test('the preview loads only pictures, even when remote pictures are allowed', async (t) => {
    const { page } = await watched(t, `/c/${stage.company.id}/emails/${ids[0]}`)
    for (const id of ids.slice(0, 6)) {
      // Pictures are taken over https: alone, so that not even these come from here.
      const reply = await page.goto(
        `${stage.service.url}/console/api/companies/${stage.company.id}/emails/${id}/preview?remote=1`,
      )
      assert.equal(reply!.status(), 200)
    }
    assert.deepEqual(hits, [])
  })
})
