/** The service dies while it sends events: nothing is lost, and a repeated event has the same id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { Installation } from '../support/installation.ts'
import { startSink } from '../support/sink.ts'
import { type Received, Receiver } from './receiver.ts'

const MAILS = 60

const told = ({ body }: Received) => JSON.parse(body) as { type: string; data: { email_id: string } }

test('a service killed between event and webhook sends all events when it is back, under the same ids', async () => {
  await using sink = await startSink()
  await using receiver = await Receiver.start()
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    // On PostgreSQL what the dead one had waits for so long.
    POSTROAD_NODE_TIMEOUT: '2s',
  })
  const tenant = await installation.addTenant('kill.test')
  await installation.command('webhook', 'add', '--company', tenant.companyId, '--url', receiver.url)

  const emails: string[] = []
  for (const killAt of [1, 40, 90]) {
    const child = await installation.serve()
    const api = new ApiClient(child.url, tenant.token)
    const mail = { from: 'a@kill.test', to: 'b@x.test', subject: 's', text: 't' }
    emails.push(...(await Promise.all(Array.from({ length: MAILS / 3 }, () => api.accepted(mail)))))
    await receiver.until(({ length }) => length >= killAt)
    await child.kill('SIGKILL')
  }
  const last = await installation.serve()
  const wanted = emails.flatMap((id) => [`${id} email.sent`, `${id} email.delivered`]).sort()
  const ids = () => {
    const byEvent = new Map<string, Set<string>>()
    for (const received of receiver.received) {
      const { type, data } = told(received)
      const event = `${data.email_id} ${type}`
      const known = byEvent.get(event) ?? new Set()
      byEvent.set(event, known.add(received.headers['webhook-id'] as string))
    }
    return byEvent
  }
  await receiver.until(() => ids().size >= wanted.length)
  await last.kill('SIGTERM')
  assert.deepEqual([...ids().keys()].sort(), wanted)
  const all = [...ids().values()].map((each) => [...each])
  assert.ok(
    all.every(({ length }) => length === 1),
    'the same event came under two ids',
  )
  assert.equal(new Set(all.flat()).size, wanted.length)
})
