/** An email as a request for a shell: the copied command is run, and sends the same. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../support/browser.ts'
import { Stage } from './stage.ts'

const SMALL = Buffer.from('%PDF-1.4\n\0\xff not really\n', 'latin1')
/** More than is put into a request. */
const LARGE = randomBytes(200_000)
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** Everything that a shell would act on. */
const AWKWARD = `It's "quoted" $HOME \`id\` $(id) \\n \\ 100% <&;|> \u202e €`

describe('copy as curl', { skip: withoutBrowser() }, () => {
  let stage: Stage
  let folder: string
  before(async () => {
    stage = await Stage.open()
    folder = await mkdtemp(join(tmpdir(), 'postroad-curl-'))
  })
  after(async () => {
    await stage?.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function dialog(t: TestContext, id: string, dialect?: 'JSON' | 'Form'): Promise<Page> {
    const { page } = await stage.visit(t, `/c/${stage.company.id}/emails/${id}`)
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    if (dialect) await page.getByRole('dialog').getByText(dialect, { exact: true }).click()
    await page.getByRole('dialog').locator('pre').waitFor()
    return page
  }

  /** Runs what the dialog shows; the answer of the service. */
  async function run(page: Page): Promise<Record<string, string>> {
    const code = await page.getByRole('dialog').locator('pre').textContent()
    assert.ok(code && !code.includes(stage.key))
    const env = { ...process.env, POSTROAD_KEY: stage.key }
    const script = join(folder, 'request.sh')
    await writeFile(script, code.replaceAll('curl -X', 'curl -sS -X'))
    const { stdout } = await promisify(execFile)('bash', ['-eu', script], { cwd: folder, env })
    return JSON.parse(stdout)
  }

  /** The newest email, and its files. */
  async function newest(than: string) {
    const { store } = stage.service
    const [line] = await store.listEmails({ companyId: stage.company.id, limit: 1 })
    assert.notEqual(line!.id, than)
    const email = (await store.readEmail(line!.id))!
    const files = await store.listFiles(line!.id)
    const contents = await Promise.all(files.map(({ position }) => store.readFile(line!.id, position)))
    return { email, files: files.map((file, at) => ({ ...file, content: contents[at]! })) }
  }

  const message = {
    to: ['Ann <ann@example.test>', 'bob@example.test'],
    cc: 'carol@example.test',
    bcc: 'dora@example.test',
    reply_to: 'reply@example.test',
    subject: AWKWARD.replace('\u202e ', ''),
    html: `<p>${AWKWARD}</p>\n<img src="cid:logo">`,
    text: `${AWKWARD}\n\nJSON\nFILE\nlast line`,
    headers: { 'X-Kind': "letter's" },
    tags: [{ name: 'tag', value: 'clock' }],
    attachments: [
      {
        filename: `../report's "1" $x.pdf`,
        content: SMALL.toString('base64'),
        content_type: 'application/pdf',
      },
      { filename: 'logo.png', content: PIXEL.toString('base64'), content_id: 'logo' },
    ],
  }

  for (const dialect of ['JSON', 'Form'] as const) {
    test(`sends the same once more through the ${dialect} endpoint, with its files`, async (t) => {
      const id = await stage.send(message)
      const before = (await stage.service.store.readEmail(id))!
      const page = await dialog(t, id, dialect)
      const answer = await run(page)
      assert.ok(answer.id)
      const { email, files } = await newest(id)
      const { content, bcc, tags } = email
      assert.deepEqual(content.to, before.content.to)
      assert.deepEqual(content.cc, before.content.cc)
      assert.deepEqual(bcc, before.bcc)
      assert.deepEqual(content.replyTo, before.content.replyTo)
      assert.equal(content.subject, before.content.subject)
      assert.equal(content.html, before.content.html)
      assert.equal(content.text, before.content.text)
      assert.deepEqual(content.headers, before.content.headers)
      assert.deepEqual(tags, before.tags)
      assert.deepEqual(
        files.map(({ contentType }) => contentType),
        ['application/pdf', 'image/png'],
      )
      assert.equal(files[0]!.filename, `report's "1" $x.pdf`)
      assert.equal(files[1]!.contentId, 'logo')
      assert.deepEqual([...files[0]!.content], [...SMALL])
      assert.deepEqual([...files[1]!.content], [...PIXEL])
    })

    test(`names files that are too large to paste, for a download beside the command: ${dialect}`, async (t) => {
      const id = await stage.send({
        subject: `Large by ${dialect}`,
        html: `<p>${'long '.repeat(40_000)}</p>`,
        attachments: [{ filename: `../../big $1.bin`, content: LARGE.toString('base64') }],
      })
      const page = await dialog(t, id, dialect)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('dialog').getByRole('link').click(),
      ])
      const name = await page.getByRole('dialog').getByRole('link').innerText()
      // No path of its own, whatever the file is called.
      assert.equal(name, 'big _1.bin')
      await download.saveAs(join(folder, name))
      await run(page)
      const { email, files } = await newest(id)
      assert.equal(email.content.subject, `Large by ${dialect}`)
      assert.equal(email.content.html!.length, 200_007)
      assert.equal(files[0]!.filename, 'big $1.bin')
      assert.ok(LARGE.equals(files[0]!.content))
    })
  }

  test('of batch mail it has the values of each recipient', async (t) => {
    const variables = { 'ann@example.test': { name: 'Ann' }, 'bob@example.test': { name: "B'ob" } }
    const fields: [string, string][] = [
      ...Object.keys(variables).map((to): [string, string] => ['to', to]),
      ['from', `shop@${stage.domain}`],
      ['subject', 'Hi %recipient.name%'],
      ['text', 'Dear %recipient.name%'],
      ['recipient-variables', JSON.stringify(variables)],
    ]
    const sent = await fetch(`${stage.service.url}/v3/${stage.domain}/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${stage.key}`)}` },
      body: new URLSearchParams(fields),
    })
    assert.equal(sent.status, 200)
    const [before] = await stage.service.store.listEmails({ companyId: stage.company.id, limit: 1 })
    const page = await dialog(t, before!.id)
    await run(page)
    const { email } = await newest(before!.id)
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${email.id}?tab=text`)
    // Each recipient's copy has its own text.
    await page.getByText('Dear Ann', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Copy for' }).click()
    await page.getByRole('option', { name: 'bob@example.test' }).click()
    await page.getByText("Dear B'ob", { exact: true }).waitFor()
  })

  test('a ready message goes as the file that it was', async (t) => {
    const form = new FormData()
    form.append('to', 'ann@example.test')
    const raw = `From: shop@${stage.domain}\r\nTo: ann@example.test\r\nSubject: Ready\r\n\r\nAs it is.\r\n`
    form.append('message', new Blob([raw]), 'message.eml')
    const sent = await fetch(`${stage.service.url}/v3/${stage.domain}/messages.mime`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${stage.key}`)}` },
      body: form,
    })
    assert.equal(sent.status, 200)
    const [before] = await stage.service.store.listEmails({ companyId: stage.company.id, limit: 1 })
    const page = await dialog(t, before!.id)
    const link = page.getByRole('dialog').getByRole('link')
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    await download.saveAs(join(folder, await link.innerText()))
    await run(page)
    const { email } = await newest(before!.id)
    assert.equal(email.content.subject, 'Ready')
    await page.goto(`${stage.service.url}/console/c/${stage.company.id}/emails/${email.id}?tab=text`)
    await page.getByText('As it is.').waitFor()
  })
})
