/** Webhooks get an event when DNS has lost the records of a domain, and when it has them again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import {
  listWebhookAttempts,
  listWebhookEvents,
  replayWebhook,
  showWebhookBacklog,
  showWebhookEvent,
} from '../../src/operate/webhook-events.ts'
import { addWebhook } from '../../src/operate/webhooks.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { type Received, Receiver } from '../webhooks/receiver.ts'
import { CheckedDomains } from './checked-domains.ts'

const HOUR = 60 * 60_000

interface Told {
  type: string
  created_at: string
  data: { id: string; name: string; status: string; records: Record<string, unknown>[]; message: string }
}

test('a webhook of the JSON dialect gets events when DNS loses records, and when they are back', async (t) => {
  const rig = await CheckedDomains.start({ hostname: SERVICE_NAMES.hostname, allowPrivateNetworks: true })
  t.after(() => rig[Symbol.asyncDispose]())
  const receiver = await Receiver.start()
  t.after(() => receiver[Symbol.asyncDispose]())
  const { dns, service, company } = rig
  const one = await service.domain(company, 'one.example')
  const two = await service.domain(company, 'two.example')
  const dkimOf = (domain: SendingDomain) =>
    dnsRecords(domain, SERVICE_NAMES).filter(({ kind }) => kind === 'dkim')
  const publish = (domain: SendingDomain) => {
    for (const { name, value } of dkimOf(domain)) dns.zone[`${name}/TXT`] = [value]
  }
  const op = await rig.operation()
  const hook = async (path: string, more: object) => {
    const { webhook } = await addWebhook(op, { company, url: `${receiver.url}/${path}`, ...more })
    return webhook.id
  }
  const all = await hook('all', {})
  await hook('one', { events: ['domain.updated'], domain: 'one.example' })
  await hook('two', { events: ['domain.updated'], domain: 'two.example' })
  await hook('form', { dialect: 'form' })

  const start = Date.now()
  for (const domain of [one, two]) {
    publish(domain)
    await verifyDomain(await rig.operation(start), { domain: domain.id })
  }
  for (const { name } of dkimOf(one)) delete dns.zone[`${name}/TXT`]
  await rig.checksAt(start + 2 * HOUR)
  publish(one)
  await rig.checksAt(start + 4 * HOUR)

  const of = (received: Received[], path: string) =>
    received.filter((each) => each.path === `/hook/${path}`).map(({ body }) => JSON.parse(body) as Told)
  const received = await receiver.until(
    (sofar) =>
      of(sofar, 'all').length === 4 && of(sofar, 'one').length === 3 && of(sofar, 'two').length === 1,
  )
  assert.deepEqual(of(received, 'form'), [], 'this dialect has no word for it')
  assert.deepEqual(
    of(received, 'one').map(({ type, data }) => [type, data.name, data.message.split('.')[0]]),
    [
      ['domain.updated', 'one.example', 'DNS has the required records of one'],
      ['domain.updated', 'one.example', 'DNS has lost the DKIM records of one'],
      ['domain.updated', 'one.example', 'DNS has the DKIM records of one'],
    ],
  )
  const lost = of(received, 'one')[1]!
  assert.equal(lost.created_at, new Date(start + 2 * HOUR).toISOString())
  const [dkim] = dkimOf(one)
  // It still sends for three days.
  assert.deepEqual([lost.data.id, lost.data.status], [one.id, 'verified'])
  assert.deepEqual(lost.data.records[0], {
    ...{ record: 'DKIM', name: dkim!.name, type: 'TXT', ttl: 'Auto', status: 'pending', value: dkim!.value },
  })
  assert.equal(of(received, 'one')[2]!.data.records[0]!.status, 'verified')

  // Such a message is listed, shown and sent again like any other.
  const known = async () => await listWebhookEvents(op, { id: all, limit: 10 })
  let messages = await known()
  for (; messages.length < 4; messages = await known()) await new Promise(setImmediate)
  const [newest] = messages
  assert.deepEqual([newest!.type, newest!.emailId], ['domain.updated', null])
  const shown = await showWebhookEvent(op, { id: all, event: newest!.id })
  const sent = received.findLast(({ path }) => path === '/hook/all')!
  assert.equal(sent.headers['webhook-id'], newest!.id)
  assert.deepEqual(shown.payload, JSON.parse(sent.body))
  assert.deepEqual(await showWebhookBacklog(op, { id: all }), { since: null })
  const before = received.length
  await replayWebhook(op, { id: all, event: newest!.id })
  const again = (await receiver.until(({ length }) => length > before)).at(-1)!
  assert.deepEqual([again.headers['webhook-id'], again.body], [newest!.id, sent.body])
  const [attempt] = await listWebhookAttempts(op, { id: all, event: newest!.id, limit: 1 })
  assert.deepEqual([attempt!.type, attempt!.emailId], ['domain.updated', null])
})
