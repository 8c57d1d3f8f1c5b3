/** Batches to a server that answers nothing: the memory of their copies and values is counted like that of any other mail. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Api } from '../http/requests.ts'
import { startService } from '../support/service.ts'
import { type Script, type Sink, startSink } from '../support/sink.ts'
import { relayAt } from './route/rig.ts'

interface Stage {
  sink: Sink
  /** One delivery of the company has got so far. */
  hangs: Promise<void>
  /** A batch from the company at hand, in which each recipient has the one value `a`. */
  batch(to: string[], text: string, value: string): Promise<void>
  /** A small mail of another company that arrives: until it has, there was time for everything before it. */
  arrives(): Promise<void>
  /** Deliveries of the company at hand that are in memory. */
  held(): Promise<number>
}

/** What comes from the company at hand never gets an answer at `step`. */
async function start(t: TestContext, step: 'rcpt' | 'dot'): Promise<Stage> {
  const hanging = Promise.withResolvers<void>()
  const script: Script = ({ step: now, sender }) => {
    if (now !== step || sender !== 'news@acme.test') return undefined
    hanging.resolve()
    return { hang: true }
  }
  const sink = await startSink({ script })
  const service = await startService({ delivery: relayAt(sink.port, { tls: 'off' }), metrics: 'same' })
  t.after(async () => {
    await sink.close()
    await service.close()
  })
  const { key } = await service.tenant('acme.test')
  const api = new Api(service.url, key.token)
  const other = new Api(service.url, (await service.tenant('other.test')).key.token)
  const number = (page: string, name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(page)![1])
  return {
    sink,
    hangs: hanging.promise,
    async batch(to, text, a) {
      const variables = Object.fromEntries(to.map((address) => [address, { a }]))
      const answer = await api.multipart('acme.test', [
        { name: 'from', value: 'news@acme.test' },
        { name: 'to', value: to.join(',') },
        { name: 'text', value: text },
        { name: 'recipient-variables', value: JSON.stringify(variables) },
      ])
      assert.equal(answer.status, 200, answer.text)
    },
    async arrives() {
      await other.accepted({ from: 'x@other.test', to: 'y@example.test', text: 'Hello' })
      await sink.next()
    },
    async held() {
      const page = await (await fetch(`${service.url}/metrics`)).text()
      return number(page, 'postroad_ready_deliveries') + number(page, 'postroad_deliveries_in_session')
    },
  }
}

const MB = 1024 * 1024

test('a small template with large copies is a large message', async (t) => {
  const { sink, hangs, batch, arrives } = await start(t, 'dot')
  const to = Array.from({ length: 12 }, (_, index) => `r${index}@example.test`)
  await batch(to, '%recipient.a%\n'.repeat(1_000), 'eight octets\n'.repeat(640))
  await hangs
  await arrives()
  // Of 8 MB each; a company alone begins them while it has less than a quarter of what large messages may take.
  assert.ok(sink.open <= 5, `${sink.open} sessions are open`)
})

test('unused values count like used ones', async (t) => {
  const { hangs, batch, arrives, held } = await start(t, 'rcpt')
  for (let index = 0; index < 15; index++)
    await batch([`r${index}@example.test`], 'Hello', 'x'.repeat(4 * MB))
  await hangs
  await arrives()
  const deliveries = await held()
  assert.ok(deliveries >= 1 && deliveries <= 8, `${deliveries} deliveries with 4 MB each are in memory`)
})
