/**
 * 36: a provider blocks the service’s address, and names the list (direct delivery).
 *
 * No mail bounces: it waits, and later mail is not even tried. The doctor calls it a problem, and names the list and the page for
 * removals. An operator who looks at no console gets one alert, also over a restart. When the block is over the mail leaves, and the
 * operator gets one more.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const REFUSAL = '554 5.7.1 Service unavailable; Client host [203.0.113.7] blocked using zen.spamhaus.org'

interface Told {
  id: string
  state: string
  found: string
}

test('a block is a problem with the name of the list, reported once, and once more when it is over', async (t) => {
  const told: Told[] = []
  const operator = createServer(async (request, response) => {
    const alert = JSON.parse(await text(request)) as Told
    if (alert.id.startsWith('held-mail')) told.push(alert)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(operator, 'listening')
  t.after(() => operator.close())
  let isBlocked = true
  await using provider = await startSink({
    script: ({ step }) => (isBlocked && step === 'connect' ? { reply: REFUSAL, close: true } : undefined),
  })
  const dns = await startDns({ 'x.test/MX': ['10 mx.x.test'], 'mx.x.test/A': ['127.0.0.1'] })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(provider.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: '10h,10h',
    POSTROAD_METRICS_LISTEN: 'same',
    POSTROAD_ALERT_WEBHOOK: `http://127.0.0.1:${(operator.address() as AddressInfo).port}/`,
  })
  const { token, domain } = await installation.addTenant('acme.test')
  let service = await installation.serve()
  const send = async (to: string) => {
    const api = new ApiClient(service.url, token)
    const id = await api.accepted({ from: `a@${domain}`, to, subject: 'Hello', text: 'Hello' })
    await api.lastEvent(id, 'delivery_delayed')
    const { recipients } = await installation.command<ShownEmail>('email', 'show', id)
    assert.deepEqual([recipients[0]!.state, recipients[0]!.attempts], ['waiting', 0])
    assert.match(recipients[0]!.message!, /blocked using zen\.spamhaus\.org/)
  }

  await send('first@x.test')
  const asked = provider.connections
  await send('second@x.test')
  assert.equal(provider.connections, asked, 'the path is closed')
  assert.deepEqual(await installation.command('suppression', 'list'), [])

  await service.kill('SIGTERM')
  service = await installation.serve()
  await until(() => told.length > 0, 'the notice')
  const { code, stdout } = await installation.run('doctor', '--json')
  assert.equal(code, 1)
  const { checks } = JSON.parse(stdout) as { checks: { id: string; state: string; found: string }[] }
  const problem = checks.find(({ id, state }) => id.startsWith('held-mail') && state === 'problem')!
  assert.match(problem.found, /^The server refuses mail: 554 .*blocked using zen\.spamhaus\.org/)
  assert.match(
    problem.found,
    /\(on the block list of Spamhaus; removal: https:\/\/check\.spamhaus\.org\/\)\.$/,
  )
  assert.deepEqual([told[0]!.state, told[0]!.found], ['problem', problem.found])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^postroad_paths_blocked\{list="Spamhaus"\} 1$/m)

  isBlocked = false
  await installation.command('queue', 'retry')
  await provider.until(2)
  const store = await openStore(parseDatabase(await installation.databaseUrl()), { exclusive: false })
  await until(async () => (await store.sharedPaths()).length === 0, 'the open path')
  await store.close()
  await service.kill('SIGTERM')
  service = await installation.serve()
  await until(() => told.some(({ state }) => state !== 'problem'), 'the notice of its end')
  assert.deepEqual(
    told.map(({ id, state }) => [id, state]),
    [
      [told[0]!.id, 'problem'],
      [told[0]!.id, 'over'],
    ],
  )
})
