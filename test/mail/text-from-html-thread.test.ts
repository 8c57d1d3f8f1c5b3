import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFromHtml } from '../../src/mail/text/text-from-html.ts'
import { TextThread } from '../../src/mail/text/text-thread.ts'

const page = '<h1>Title</h1><p>Some <b>words</b> and a <a href="https://x.test/">link</a>.</p>'
/** Cells are what takes most memory: more than a thread of 24 MiB has. */
const deadly = `<table>${'<td>a'.repeat(200_000)}`

test('small and big documents give the same text as in place', async (t) => {
  const thread = new TextThread()
  t.after(() => thread.close())
  for (const html of ['', page, page.repeat(100), page.repeat(5000)]) {
    assert.equal(await thread.derive(html), textFromHtml(html))
  }
})

test('many at once are all answered, each with its own text', async (t) => {
  const thread = new TextThread({ inlineLimit: 0 })
  t.after(() => thread.close())
  const texts = await Promise.all(
    Array.from({ length: 200 }, (_, n) => thread.derive(`<p>number <b>${n}</b></p>`)),
  )
  assert.deepEqual(
    texts,
    texts.map((_, n) => `number ${n}`),
  )
})

test('a thread that dies takes only the request it had at hand with it', async (t) => {
  // Too little memory for a document of this size, and enough to start and for a small one; dying of it may take a busy machine long.
  const thread = new TextThread({ inlineLimit: 0, memory: 24, deadline: 120_000 })
  t.after(() => thread.close())
  assert.equal(await thread.derive(page), textFromHtml(page))
  const fatal = thread.derive(deadly)
  const waiting = thread.derive(page)
  await assert.rejects(fatal, { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  assert.equal(await waiting, textFromHtml(page))
  assert.equal(await thread.derive(page), textFromHtml(page))
})

test('a request over its deadline is given up, the next one is answered', async (t) => {
  const thread = new TextThread({ inlineLimit: 0, deadline: 1 })
  t.after(() => thread.close())
  await assert.rejects(thread.derive(page.repeat(12_000)), { name: 'AbortError' })
  const patient = new TextThread({ inlineLimit: 0 })
  t.after(() => patient.close())
  assert.equal(await patient.derive(page), textFromHtml(page))
})

test('small documents behind a deadly or a late one get their text', async (t) => {
  const thread = new TextThread({ inlineLimit: 0, memory: 24, deadline: 120_000 })
  t.after(() => thread.close())
  const first = thread.derive(page)
  const fatal = thread.derive(deadly)
  const behind = Array.from({ length: 100 }, (_, n) => thread.derive(`<p>number ${n}</p>`))
  await assert.rejects(fatal, { code: 'ERR_WORKER_OUT_OF_MEMORY' })
  assert.equal(await first, textFromHtml(page))
  assert.deepEqual(
    await Promise.all(behind),
    behind.map((_, n) => `number ${n}`),
  )
})

test('a small document does not wait for all the large ones before it', async (t) => {
  const thread = new TextThread({ inlineLimit: 0 })
  t.after(() => thread.close())
  const answered: string[] = []
  const large = Array.from({ length: 6 }, async (_, n) => {
    await thread.derive(page.repeat(2_000))
    answered.push(`large ${n}`)
  })
  const small = thread.derive(page).then(() => answered.push('small'))
  await Promise.all([...large, small])
  assert.deepEqual(answered, ['large 0', 'small', 'large 1', 'large 2', 'large 3', 'large 4', 'large 5'])
})

test('what was given before the end is answered', async () => {
  const thread = new TextThread({ inlineLimit: 0 })
  const texts = Array.from({ length: 100 }, (_, n) => thread.derive(`<p>number ${n}</p>`))
  await thread.close()
  assert.deepEqual(
    await Promise.all(texts),
    texts.map((_, n) => `number ${n}`),
  )
})

test('nothing is derived after the end', async () => {
  const thread = new TextThread({ inlineLimit: 0 })
  await thread.close()
  await assert.rejects(thread.derive(page))
})
