/** Mail of a domain that is suspended while it waits in memory: held, and sent as soon as the domain may send again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { Gate } from '../nodes/fleet.ts'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'
import { startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

test('held mail goes out at once when its domain becomes active, not at the next look a minute later', async () => {
  const gate = new Gate()
  gate.close()
  await using sink = await startSink({
    script: async ({ step }) => {
      if (step === 'mail') await gate.pass()
      return undefined
    },
  })
  await using service = await startService({
    delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
    concurrency: 1,
    siteConcurrency: 1,
  })
  const { domain, key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const send = (to: string) => api.accepted({ from: 'a@acme.test', to, subject: 's', text: 't' })
  const state = async (id: string) => (await service.store.readHistory(id))!.recipients[0]!

  await send('begun@x.test')
  await until(() => gate.waiting === 1, 'the first message to begin')
  const held = await send('held@x.test')
  await service.store.updateDomain(domain.id, { sending: 'suspended' })
  await service.app.refreshAccounts()
  gate.open()
  await sink.until(1)
  await until(async () => (await state(held)).state === 'waiting', 'the second message to be held')
  const { attempts, lastMessage } = await state(held)
  assert.equal(attempts, 0)
  assert.match(String(lastMessage), /acme\.test may not send/)

  // The sink waits for half of the time after which held mail is looked at without a reason.
  await service.store.updateDomain(domain.id, { sending: 'active' })
  await service.app.refreshAccounts()
  await sink.messageFor('held@x.test')
  await api.lastEvent(held, 'delivered')
  assert.equal((await state(held)).attempts, 1)
})
