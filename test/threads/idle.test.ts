/** A thread that dies with nothing to do takes nobody with it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { BodyParser } from '../../src/http/json/body-parser.ts'
import { TextThread } from '../../src/mail/text/text-thread.ts'

/** The threads that begin from now on. */
function threads(t: TestContext): Set<Worker> {
  const all = new Set<Worker>()
  const note = (worker: Worker) => {
    all.add(worker)
  }
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return all
}

/** What Node.js tells of a thread that ended by an error nobody caught. */
async function die(workers: Set<Worker>): Promise<void> {
  assert.ok(workers.size > 0)
  for (const worker of workers) worker.emit('error', new Error('nothing to do with the work'))
  await Promise.all([...workers].map((worker) => worker.terminate()))
}

test('the thread that derives text', { timeout: 30_000 }, async (t) => {
  const workers = threads(t)
  const thread = new TextThread({ inlineLimit: 0 })
  t.after(() => thread.close())
  assert.equal(await thread.derive('<p>one</p>'), 'one')
  await die(workers)
  assert.equal(await thread.derive('<p>two</p>'), 'two')
})

test('the threads that read large bodies', { timeout: 30_000 }, async (t) => {
  const workers = threads(t)
  const parser = new BodyParser()
  t.after(() => parser.close())
  const body = (subject: string) =>
    Buffer.from(
      JSON.stringify({ from: 'a@acme.test', to: 'b@example.org', subject, text: 'x'.repeat(2 ** 20) }),
    )
  assert.ok(await parser.parse(body('one')))
  await die(workers)
  assert.ok(await parser.parse(body('two')))
})
