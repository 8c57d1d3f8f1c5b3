/** POSTROAD_DELIVER_WITHIN: the whole service ends mail by its age, before servers that put it off or refuse us. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../src/config/settings.ts'
import { relayAt } from '../delivery/route/rig.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Service, startService } from '../support/service.ts'
import { type Script, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

const HOUR = 3_600_000
const TOO_OLD = 'Gave up: the time within which this service delivers mail is over'

const putOff: Script = ({ step }) => (step === 'rcpt' ? { reply: '451 4.3.0 come back later' } : undefined)
const refuse: Script = ({ step }) => (step === 'mail' ? { reply: '530 5.7.0 Login required' } : undefined)

async function start(t: TestContext, script: Script, settings: Partial<Settings>) {
  const sink = await startSink({ script })
  const delivery = relayAt(sink.port, { tls: 'off' })
  const service = await startService({ delivery, retrySchedule: [HOUR, HOUR], ...settings })
  t.after(async () => {
    await service.close()
    await sink.close()
  })
  const { key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const send = () => api.accepted({ from: 'a@acme.test', to: 'b@x.test', subject: 'Hello', text: 'Hello' })
  return { service, sink, delivery, send }
}

async function recipientOf({ store }: Pick<Service, 'store'>, id: string) {
  const { recipients, events } = (await store.readHistory(id))!
  const { state, attempts, lastMessage } = recipients[0]!
  return { state, attempts, lastMessage, category: events.at(-1)?.detail.category }
}

function reaches(service: Pick<Service, 'store'>, id: string, state: string) {
  return until(async () => (await recipientOf(service, id)).state === state, `the state ${state}`)
}

test('a recipient whose next attempt would be too late fails with the last answer', async (t) => {
  const { service, send } = await start(t, putOff, { deliverWithin: HOUR })
  const id = await send()
  await reaches(service, id, 'failed')
  const { attempts, lastMessage } = await recipientOf(service, id)
  assert.equal(attempts, 1)
  assert.match(lastMessage!, /^Gave up after 1 attempts\. .*come back later/)
})

test('mail that waits for a closed path ends as well', async (t) => {
  const { service, send, sink } = await start(t, refuse, { deliverWithin: 2_000 })
  const id = await send()
  await reaches(service, id, 'failed')
  const { lastMessage, category } = await recipientOf(service, id)
  assert.deepEqual([lastMessage, category], [TOO_OLD, 'expired'])
  assert.deepEqual(sink.messages, [])
})

test('mail that waited before the setting was made fails at its next attempt', async (t) => {
  let script = putOff
  const before = await start(t, (...step) => script(...step), {})
  const id = await before.send()
  await until(async () => (await recipientOf(before.service, id)).attempts === 1, 'the first attempt')
  assert.equal((await recipientOf(before.service, id)).state, 'waiting')
  await before.service.stop()

  script = () => undefined
  const { database, secretKey } = before.service.settings
  const settings = { database, secretKey, delivery: before.delivery }
  await using service = await startService({ ...settings, deliverWithin: 1 })
  await service.store.retry(
    { companyId: null, domains: null, emailId: null, now: Date.now(), byMember: false },
    () => {},
  )
  await reaches(service, id, 'failed')
  assert.equal((await recipientOf(service, id)).lastMessage, TOO_OLD)
  assert.deepEqual(before.sink.messages, [])
})
