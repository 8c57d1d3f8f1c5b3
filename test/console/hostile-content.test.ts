/**
 * Stored cross-site scripting (case 43 of the hostile cases): what strangers have written goes through the real API and
 * comes back in the replies of a real server, and every page that shows it is opened in a browser. Nothing of it runs,
 * asks for anything elsewhere, leads away or opens a dialog.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { relayAt } from '../delivery/route/rig.ts'
import { withoutBrowser } from '../support/browser.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { hostileHtml, hostileTexts, MARK } from './hostile-payloads.ts'
import { Stage } from './stage.ts'
import type { Visit } from './visit.ts'

/** What came from their payloads as elements would be found so; in the page, which knows it as text only. */
const FOREIGN = `#root script, #root object, #root embed, #root form[action], #root base, #root meta,
  #root iframe:not([title="The email as HTML"]), #root [onerror], #root [onload], #root [ontoggle], #root [onfocus]`

const TURNING = /[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

describe('hostile content', { skip: withoutBrowser() }, () => {
  let evil: Server
  let origin: string
  const hits: string[] = []
  let texts: string[]
  let pages: string[]
  let sink: Sink
  let stage: Stage
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
        const index = /^n(\d+)@/.exec(recipient ?? '')?.[1]
        if (step !== 'rcpt' || index === undefined) return undefined
        return { reply: `550 5.1.1 ${textAt(Number(index) + 7)}` }
      },
    })
    stage = await Stage.open({ delivery: relayAt(sink.port, { tls: 'off' }), retrySchedule: [3_600_000] })
    for (const [index, html] of pages.entries()) ids.push(await stage.send(message(index, html)))
    await sink.when(() => refusals() >= pages.length, 'an attempt for each of them')
  })
  after(async () => {
    await stage?.close()
    await sink?.close()
    evil?.close()
  })

  const refusals = () => sink.dialogue.filter((line) => line.includes('S: 550 5.1.1')).length
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
  ): Promise<{ visit: Visit; page: Page; wrong: string[] }> {
    const visit = await stage.visit(t, path)
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
        .getByText(/^Bounced: refused for good/)
        .first()
        .waitFor()
      const subject = await page.getByRole('heading', { level: 1 }).locator('bdi').textContent()
      const plain = textIn(index, 0)
      if (/^[\x20-\x7e]*$/.test(plain)) assert.equal(subject, plain)
      // Characters that turn text around are told by their names.
      assert.doesNotMatch(subject ?? '', /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/)
      await page
        .frameLocator('iframe[title="The email as HTML"]')
        .locator('html')
        .waitFor({ state: 'attached' })
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

  test('with pictures from elsewhere allowed, nothing but pictures is asked for', async (t) => {
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
