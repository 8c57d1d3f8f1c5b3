/** The text part is a courtesy to its readers: no message is refused because none could be derived. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { derivedText } from '../../src/intake/derived-text.ts'
import { htmlWeight } from '../../src/mail/text/weight.ts'
import type { DeathCause, WorkerDied } from '../../src/workers/error.ts'
import { Workers, type WorkersOptions } from '../../src/workers/workers.ts'
import { Api, newestEmail } from '../http/requests.ts'
import { startService } from '../support/service.ts'

/** Takes a worker seconds, where one that is looked after has milliseconds for it. */
const HEAVY = '<p>a&amp;'.repeat(110_000)

function open(t: TestContext, options: WorkersOptions = {}): Workers {
  const workers = new Workers({ threads: 2, ...options })
  t.after(() => workers.close())
  return workers
}

const limits: [cause: DeathCause, options: WorkersOptions][] = [
  ['time', { deadline: 1 }],
  ['memory', { memory: 1 }],
]
for (const [cause, options] of limits) {
  test(`HTML that ends a worker for want of ${cause} gives no text, and the log gives the reason`, async (t) => {
    const deaths: WorkerDied[] = []
    const workers = open(t, options)
    assert.equal(await derivedText(HEAVY, workers, 'acme', (death) => deaths.push(death)), '')
    assert.deepEqual(
      deaths.map((death) => death.cause),
      [cause],
    )
  })
}

test('a worker survives usual HTML of any size', async (t) => {
  const html = `<h1>News</h1>${'<p>Hello &amp; welcome</p>'.repeat(1_000)}`
  assert.ok(htmlWeight(html) > 8 * 1024)
  const text = await derivedText(html, open(t), 'acme', (death) => assert.fail(death))
  assert.match(text, /^News\n\nHello & welcome\n\nHello & welcome\n/i)
})

test('a client that finds the workers busy may try again', async () => {
  const workers = new Workers({ threads: 2 })
  await workers.close()
  await assert.rejects(async () => derivedText(HEAVY, workers, 'acme', (death) => assert.fail(death)), {
    name: 'WorkersBusy',
  })
})

test('a message whose derived text ended its workers is accepted, and is sent without that text', async (t) => {
  await using service = await startService()
  const { company, key } = await service.tenant('acme.example')
  const api = new Api(service.url, key.token)
  // They start with their first task; each of them ends here before it has done anything.
  const end = (worker: Worker) => {
    if (worker.threadName === 'worker') void worker.terminate()
  }
  process.on('worker', end)
  t.after(() => process.off('worker', end))
  const html = `<p>${'Hello <b>you</b> '.repeat(500)}</p>`
  assert.ok(htmlWeight(html) > 8 * 1024)
  const sent = [
    async () => api.accepted({ from: 'a@acme.example', to: 'b@x.test', subject: 'News', html }),
    async () => {
      const reply = await api.multipart('acme.example', [
        { name: 'from', value: 'a@acme.example' },
        { name: 'to', value: 'b@x.test' },
        { name: 'subject', value: 'News' },
        { name: 'html', value: html },
      ])
      assert.equal(reply.status, 200, reply.text)
      return newestEmail(service, company.id)
    },
  ]
  const told = () => service.logged.filter((line) => line.includes('Could not derive a text version'))
  for (const [index, send] of sent.entries()) {
    const email = await service.store.readEmail(await send())
    assert.equal(email?.content.html, html)
    assert.ok(!email.content.text, `text: ${email.content.text}`)
    assert.equal(told().length, index + 1)
  }
})
