/** Links of mail that is shown, as Chromium finds them: each leads to the page that asks, which leads on who looks. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { safeHtml } from '../../src/http/shown-emails/safe-html.ts'
import { withoutBrowser } from '../support/browser.ts'
import { hostileHtml } from '../support/hostile-html.ts'
import { HOSTILE_LINKS } from '../support/hostile-links.ts'
import { Stage } from './stage.ts'

const ASKS = '/console/api/leave?'

/** In the browser: what of a document is no HTML, runs, or leads past the page that asks. */
const STRAY = `(html) => {
  const found = []
  const leading = ['action', 'formaction', 'href', 'http-equiv', 'ping', 'srcdoc', 'target', 'xlink:href']
  for (const each of new DOMParser().parseFromString(html, 'text/html').querySelectorAll('*')) {
    const name = each.localName
    if (each.namespaceURI !== 'http://www.w3.org/1999/xhtml') found.push(name)
    if (/^(script|base|meta|link|form|iframe|frame|object|embed|template)$/.test(name)) found.push(name)
    for (const { name: attribute, value } of each.attributes) {
      if (attribute.startsWith('on')) found.push(name + ' ' + attribute)
      if (!leading.includes(attribute)) continue
      const isLink = attribute === 'href' && (value.startsWith('${ASKS}') || value.startsWith('#'))
      const isApart = attribute === 'target' && value === '_blank'
      if (!/^(a|area)$/.test(name) || !(isLink || isApart)) found.push(name + ' ' + attribute + '=' + value)
    }
  }
  return found
}`

describe('links of mail that is shown', { skip: withoutBrowser() }, () => {
  let stage: Stage

  before(async () => {
    stage = await Stage.open()
  })
  after(() => stage?.close())

  /** Where documents are read: the policy of the page applies to their styles, and says so. */
  async function listPage(t: TestContext): Promise<Page> {
    const visit = await stage.visit(t, `/c/${stage.company.id}/emails`)
    visit.expect(/Applying inline style violates/)
    return visit.page
  }

  const previewUrl = (id: string) => `/console/api/companies/${stage.company.id}/emails/${id}/preview`

  test('lead only to the page that asks, in documents that a tokenizer and a browser read differently', async (t) => {
    const page = await listPage(t)
    for (let from = 0; from < HOSTILE_LINKS.length; from += 20) {
      const documents = HOSTILE_LINKS.slice(from, from + 20)
      const ids = await Promise.all(documents.map((html) => stage.send({ html })))
      const stray = await page.evaluate<string[][]>(
        `Promise.all(${JSON.stringify(ids.map(previewUrl))}.map(async (url) => {
          const reply = await fetch(url)
          return reply.ok ? (${STRAY})(await reply.text()) : [String(reply.status)]
        }))`,
      )
      for (const [index, found] of stray.entries()) assert.deepEqual(found, [], documents[index])
    }
  })

  test('lead only to the page that asks, in any document', async (t) => {
    const page = await listPage(t)
    const seed = Date.now() % 1_000_000
    t.diagnostic(`seed ${seed}`)
    const documents = fc.sample(hostileHtml, { numRuns: 400, seed })
    const shown = documents.map((html) =>
      safeHtml(html, { link: (href) => ASKS + encodeURIComponent(href.toWellFormed()), picture: () => null }),
    )
    const stray = await page.evaluate<string[][]>(`${JSON.stringify(shown)}.map(${STRAY})`)
    for (const [index, found] of stray.entries()) assert.deepEqual(found, [], documents[index])
  })

  test('a click asks first, and then opens the link', async (t) => {
    const id = await stage.send({ html: '<p>Hi <a href="https://shop.test/x">shop</a>' })
    const { page } = await stage.visit(t, `/c/${stage.company.id}/emails/${id}`)
    const frame = page.frameLocator('iframe[title="HTML preview"]')
    const opened = page.waitForEvent('popup')
    await frame.getByRole('link', { name: 'shop' }).click()
    const asks = await opened
    await asks.getByRole('heading', { name: 'This link leads out of Postroad' }).waitFor()
    assert.equal(await asks.getByRole('link').getAttribute('href'), 'https://shop.test/x')
    assert.equal(new URL(asks.url()).origin, new URL(stage.service.url).origin)
  })
})
