/** Expired content and records are removed while the service runs, without a request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

test('a running service removes expired content and expired records', async () => {
  await using service = await startService()
  const { key } = await service.tenant('mail.test')
  const api = new ApiClient(service.url, key.token)
  const id = await api.accepted({ from: 'a@mail.test', to: 'to@x.test', subject: 's', text: 'the content' })
  await api.lastEvent(id, 'delivered')
  await service.stop()

  const { database, secretKey } = service.settings
  const brief = { database, secretKey, contentRetention: 1 }
  {
    await using again = await startService(brief)
    const email = async () => (await again.store.readHistory(id))!.email
    await until(async () => (await email()).contentRemoved, 'the content to go')
    assert.equal(await again.store.readWork(id), null)
  }
  await using last = await startService({ ...brief, emailRetention: 1 })
  await until(async () => (await last.store.readHistory(id)) === null, 'the record to go')
})
