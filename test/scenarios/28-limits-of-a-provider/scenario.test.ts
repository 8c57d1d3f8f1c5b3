/**
 * 28: a provider with limits (direct delivery).
 *
 * The operator's file knows a provider that takes two recipients a transaction, and another one that takes sixty messages a minute. Mail
 * keeps to both, and mail to others does not wait for it. A third server takes two sessions, a limit unknown before: it says so, gets fewer,
 * and all of its mail arrives with the first attempt. A fourth asks for two seconds, and is left alone for as long.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const SITES = `
[[site]]
name = "Big"
mx = ["*.big.test"]
recipients_per_transaction = 2

[[site]]
name = "Slow"
mx = ["*.slow.test"]
messages_per_minute = 60
`

test('mail keeps to the limits of a provider, known beforehand or learnt from its servers', async (t) => {
  await using all = await startSink()
  await using few = await startSink({ host: '127.0.0.2', port: all.port })
  await using hasty = await startSink({ host: '127.0.0.3', port: all.port })
  const dns = await startDns({
    'big.test/MX': ['10 mx.big.test'],
    'mx.big.test/A': ['127.0.0.1'],
    'slow.test/MX': ['10 mx.slow.test'],
    'mx.slow.test/A': ['127.0.0.1'],
    'other.test/MX': ['10 mx.other.test'],
    'mx.other.test/A': ['127.0.0.1'],
    'few.test/MX': ['10 mx.few.test'],
    'mx.few.test/A': ['127.0.0.2'],
    'hasty.test/MX': ['10 mx.hasty.test'],
    'mx.hasty.test/A': ['127.0.0.3'],
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(all.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_SITES: 'sites.toml',
    POSTROAD_DELIVERY_THREADS: '1',
    POSTROAD_RETRY_SCHEDULE: '1s,1s,1h',
  })
  writeFileSync(join(installation.directory, 'sites.toml'), SITES)
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const send = (to: string | string[]) =>
    api.accepted({ from: `a@${domain}`, to, subject: 'Hello', text: 'Hello' })
  const attemptsOf = async (id: string) => {
    await api.lastEvent(id, 'delivered')
    const { recipients } = await installation.command<ShownEmail>('email', 'show', id)
    return recipients.map(({ attempts }) => attempts)
  }

  // Recipients a transaction.
  const five = await send(Array.from({ length: 5 }, (_, n) => `n${n}@big.test`))
  await api.lastEvent(five, 'delivered')
  assert.deepEqual(all.messages.map(({ recipients }) => recipients.length).toSorted(), [1, 2, 2])

  // Messages a minute: six at once, then one a second. No other mail waits.
  const ofSlow = () => all.messages.filter(({ recipients }) => recipients[0]!.endsWith('@slow.test'))
  for (let n = 0; n < 8; n++) await send(`n${n}@slow.test`)
  await send('me@other.test')
  await all.messageFor('me@other.test')
  assert.ok(ofSlow().length < 8, 'the last ones wait for their turn')

  // Sessions: more than two are turned away.
  const turnedAway = Promise.withResolvers<void>()
  let open = 0
  few.script = async ({ step }) => {
    if (step === 'connect') {
      if (few.open > 2) {
        turnedAway.resolve()
        return { reply: '421 4.7.0 Too many connections from your address', close: true }
      }
      open = Math.max(open, few.open)
    }
    if (step === 'mail') await turnedAway.promise
    return undefined
  }
  const busy = []
  for (let n = 0; n < 6; n++) busy.push(await send(`n${n}@few.test`))
  await few.until(6)
  assert.equal(open, 2)
  for (const id of busy) assert.deepEqual(await attemptsOf(id), [1], 'that was no attempt')
  await until(async () => {
    const { lowered } = await installation.command<{ lowered: { sessions: number | null } }>(
      'site',
      'show',
      'few.test',
    )
    // How few depends on how many were busy when the server refused another one.
    return lowered.sessions !== null && lowered.sessions < busy.length
  }, 'the lowered sessions, as people see them')

  // "Try again in N seconds": nothing is asked before.
  let askedAt = 0
  hasty.script = ({ step }) => {
    if (step !== 'mail' || askedAt > 0) return undefined
    askedAt = Date.now()
    return { reply: '450 4.7.1 Too many messages, try again in 2 seconds' }
  }
  const first = await send('first@hasty.test')
  await api.lastEvent(first, 'delivery_delayed')
  await send('second@hasty.test')
  const [sooner] = await hasty.until(2)
  assert.ok(sooner!.at >= askedAt + 1_900, `${sooner!.at - askedAt} ms`)
  assert.deepEqual(await attemptsOf(first), [1])
  await all.when(() => ofSlow().length === 8, 'the last ones as well')
})
