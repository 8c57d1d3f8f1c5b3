/**
 * 35: new source addresses (direct delivery).
 *
 * Receivers do not know a new address, so it may send few messages to each site: two today, four tomorrow. In a pool with an address
 * that is known already, that one takes over the rest, and no mail waits. Where a pool has no other address, the mail waits for the
 * next day without an attempt, and leaves then. The operator sees how far the warm-up is.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { Preload } from '../../../harness/preload/preload.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000
const [NEW, KNOWN, ALONE] = ['127.0.35.1', '127.0.35.2', '127.0.35.3']

interface ShownSite {
  sources: { name: string; warm_up: { day: number; limit: number; messages: number } | null }[]
}

test('a new address sends a few messages a day; the others leave from known addresses, or wait', async (t) => {
  await using x = await startSink()
  await using y = await startSink({ host: '127.0.35.4', port: x.port })
  const dns = await startDns({
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
    'y.test/MX': ['10 mx.y.test'],
    'mx.y.test/A': ['127.0.35.4'],
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(x.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_WARM_UP: '1,2,4',
    POSTROAD_SOURCE_ADDRESSES: [
      `${NEW}=new.sender.test`,
      `${KNOWN}=known.sender.test`,
      `${ALONE}=alone.sender.test`,
    ].join(', '),
  })
  const clock = Preload.compile(installation.directory, installation.directory)
  if (typeof clock === 'string') return t.skip(clock)
  t.after(() => clock.close())

  const { token, companyId, domain } = await installation.addTenant('acme.test')
  const adding = ['domain', 'add', 'alone.test', '--company', companyId]
  const { id: aloneId } = await installation.command<{ id: string }>(...adding)
  await installation.command('domain', 'activate', aloneId)
  await installation.command('pool', 'create', 'two', NEW, KNOWN)
  await installation.command('domain', 'update', domain, '--pool', 'two')
  await installation.command('pool', 'create', 'one', ALONE)
  await installation.command('domain', 'update', 'alone.test', '--pool', 'one')
  await installation.command('pool', 'warm-up', 'two', NEW)
  await installation.command('pool', 'warm-up', 'one', ALONE)

  // The service begins on the second day at noon: no midnight comes while the test runs, and its reports are young for the commands.
  const noon = Math.floor(Date.now() / DAY) * DAY + DAY / 2
  const serveAt = async (day: number) => {
    clock.of('node').clockOffset = noon + day * DAY - Date.now()
    return await installation.serve({ settings: clock.environment('node') })
  }
  const service = await serveAt(1)
  const api = new ApiClient(service.url, token)
  let sent = 0
  const send = async (from: string, to: string) => {
    const recipient = `n${++sent}@${to}`
    return await api.accepted({ from: `a@${from}`, to: recipient, subject: 'Hello', text: 'Hello' })
  }
  const show = (id: string) => installation.command<ShownEmail>('email', 'show', id)
  const fromNew = (sink: typeof x) => sink.messages.filter(({ peer }) => peer === NEW).length

  for (const [sink, to] of [
    [x, 'x.test'],
    [y, 'y.test'],
  ] as const) {
    const ids: string[] = []
    const more = async () => {
      const id = await send(domain, to)
      await api.lastEvent(id, 'delivered')
      ids.push(id)
    }
    while (fromNew(sink) < 2 && ids.length < 60) await more()
    for (let n = 0; n < 3; n++) await more()
    assert.equal(fromNew(sink), 2, 'each site has a limit of its own')
    const { recipients } = await show(ids.at(-1)!)
    assert.equal(recipients[0]!.attempts, 1)
  }

  const ofAlone: string[] = []
  for (let n = 0; n < 4; n++) ofAlone.push(await send('alone.test', 'x.test'))
  const waiting = await until(async () => {
    const shown = await Promise.all(ofAlone.map(show))
    const recipients = shown.map((each) => each.recipients[0]!)
    return recipients.every(({ state, message }) => state !== 'sending' && message !== null) && recipients
  }, 'what became of each')
  assert.deepEqual(
    waiting.map(({ state, attempts }) => `${state} ${attempts}`),
    ['delivered 1', 'delivered 1', 'waiting 0', 'waiting 0'],
  )
  assert.match(
    waiting[3]!.message!,
    new RegExp(`the source address ${ALONE} is warming up and may send 2 messages to mx\\.x\\.test today`),
  )
  await until(async () => {
    const { sources } = await installation.command<ShownSite>('site', 'show', 'x.test')
    const warmUp = sources.find(({ name }) => name === ALONE)?.warm_up
    return warmUp?.day === 2 && warmUp.limit === 2 && warmUp.messages === 2
  }, 'the warm-up, as people see it')
  await service.kill('SIGTERM')

  await serveAt(2)
  const ofAddress = () => x.messages.filter(({ peer }) => peer === ALONE).length
  await x.when(() => ofAddress() === 4, 'the mail that waited')
  const shown = await until(async () => {
    const each = await Promise.all(ofAlone.map(show))
    return each.every(({ recipients }) => recipients[0]!.state === 'delivered') && each
  }, 'the records')
  assert.deepEqual(
    shown.map(({ recipients }) => recipients[0]!.attempts),
    [1, 1, 1, 1],
  )
})
