/** The counts of both dialects name the same bounces permanent as their events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relayAt } from '../delivery/route/rig.ts'
import { startService } from '../support/service.ts'
import { startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'
import { Api, basic, call } from './requests.ts'

const REPLIES: Readonly<Record<string, string>> = {
  gone: '550 5.1.1 User unknown',
  // Outlook: most such addresses do not exist, and the reply does not prove it.
  denied: '550 5.4.1 Recipient address rejected: Access denied',
  full: '552 5.2.2 Over quota',
  spam: '554 5.7.1 Spam detected',
}

test('a bounce is of one kind in the events and counts of both dialects', async () => {
  await using sink = await startSink({
    script: ({ step, recipient }) => {
      const reply = step === 'rcpt' ? REPLIES[recipient!.split('@')[0]!] : undefined
      return reply === undefined ? undefined : { reply }
    },
  })
  await using service = await startService({ delivery: relayAt(sink.port, { tls: 'off' }) })
  const { company } = await service.tenant('acme.test')
  const { token } = await service.key(company.id, { scopes: ['sending', 'reading'] })
  const api = new Api(service.url, token)
  for (const name of Object.keys(REPLIES))
    await api.accepted({ from: 'a@acme.test', to: `${name}@x.test`, text: 't' })
  const headers = { authorization: basic(token), 'content-type': 'application/json' }
  const figures = async (): Promise<Record<string, number>> =>
    (await api.get('/emails/metrics')).body.totals as Record<string, number>
  await until(async () => (await figures()).bounced === 4, 'the counts of what bounced')

  const { body } = await call(`${service.url}/v3/acme.test/events?event=failed`, { headers })
  const types = (body.items as { recipient: string; 'delivery-status': { 'bounce-type': string } }[]).map(
    (item) => [item.recipient.split('@')[0], item['delivery-status']['bounce-type']],
  )
  assert.deepEqual(Object.fromEntries(types), { gone: 'hard', denied: 'soft', full: 'soft', spam: 'soft' })
  const totals = await figures()
  assert.deepEqual(
    [totals.bounced_permanent, totals.bounced_transient, totals.bounced_undetermined],
    [1, 2, 1],
  )
  const analytics = await call(`${service.url}/v1/analytics/metrics`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      duration: '1d',
      dimensions: ['recipient_domain'],
      metrics: ['bounced_count', 'hard_bounces_count'],
    }),
  })
  const [item] = analytics.body.items as { metrics: Record<string, number> }[]
  assert.deepEqual(item?.metrics, { bounced_count: 4, hard_bounces_count: 1 }, analytics.text)
})
