/** The limits of sites in the whole service: two domains on servers of one provider, and a file of the operator. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startDns } from '../../harness/dns.ts'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'
import { type Script, startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

const ZONE = {
  'mx1.big.test/A': ['127.0.0.1'],
  'mx2.big.test/A': ['127.0.0.1'],
  'mx.small.test/A': ['127.0.0.1'],
  'one.test/MX': ['10 mx1.big.test'],
  'two.test/MX': ['10 mx2.big.test'],
  'small.test/MX': ['10 mx.small.test'],
}

/** A service that delivers to one sink by these sites, given as the text of the operator's file. */
async function start(t: TestContext, sites: string, script?: Script) {
  const directory = await mkdtemp(join(os.tmpdir(), 'postroad-sites-'))
  const path = join(directory, 'sites.toml')
  writeFileSync(path, sites)
  const sink = await startSink(script === undefined ? {} : { script })
  const dns = await startDns(ZONE)
  const service = await startService({
    delivery: { kind: 'direct' },
    dnsServers: [dns.address],
    smtpPort: sink.port,
    allowPrivateNetworks: true,
    metrics: 'same',
    retrySchedule: [600_000],
    sites: path,
  })
  t.after(async () => {
    await service.close()
    await dns.close()
    await sink.close()
    await rm(directory, { recursive: true })
  })
  const { key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const send = (to: string | string[]) =>
    api.accepted({ from: 'news@acme.test', to, subject: 'Hello', text: 'Hello' })
  const metric = async (name: string) => {
    const page = await (await fetch(`${service.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(page)?.[1])
  }
  return { service, sink, api, send, metric, rewrite: (text: string) => writeFileSync(path, text) }
}

test('domains on different servers of one provider share its sessions', async (t) => {
  let open = 0
  let most = 0
  const together = Promise.withResolvers<void>()
  const { sink, send } = await start(
    t,
    '[[site]]\nname = "Big"\nmx = ["*.big.test"]\nsessions = 2',
    async ({ step }) => {
      if (step === 'dot') {
        open++
        most = Math.max(most, open)
        if (open === 2) together.resolve()
        await together.promise
      } else if (step === 'answered') open--
      return undefined
    },
  )
  for (let n = 0; n < 6; n++) await send(`n${n}@${n % 2 === 0 ? 'one' : 'two'}.test`)
  await sink.until(6)
  assert.equal(most, 2)
})

test('a session ends after the messages, and a transaction holds the recipients, that the site takes', async (t) => {
  const { sink, send } = await start(
    t,
    '[[site]]\nname = "Big"\nmx = ["*.big.test"]\nsessions = 1\nmessages_per_session = 3\nrecipients_per_transaction = 2',
  )
  await send(Array.from({ length: 7 }, (_, n) => `n${n}@one.test`))
  const first = await sink.until(4)
  assert.deepEqual(first.map(({ recipients }) => recipients.length).toSorted(), [1, 2, 2, 2])
  // Now that the domain is known.
  await send(Array.from({ length: 5 }, (_, n) => `m${n}@one.test`))
  const all = await sink.until(7)
  const perSession = Map.groupBy(all, ({ session }) => session)
  for (const messages of perSession.values()) assert.ok(messages.length <= 3)
})

test('a changed file counts for the next mail; a file with a fault changes nothing, and the metrics show it', async (t) => {
  const { service, sink, send, metric, rewrite } = await start(t, '[default]\nrecipients_per_transaction = 1')
  await send(['a@small.test', 'b@small.test'])
  assert.deepEqual(
    (await sink.until(2)).map(({ recipients }) => recipients.length),
    [1, 1],
  )
  assert.equal(await metric('postroad_sites_file_faulty'), 0)

  rewrite('[default]\nrecipients_per_transaction = 0')
  await until(async () => (await metric('postroad_sites_file_faulty')) === 1, 'the fault in the metrics')
  const told = service.logged.find((line) => line.includes('cannot be used, so the limits from before stay'))
  assert.match(
    told ?? '',
    /sites\.toml, line 2: recipients_per_transaction 0: a whole number from 1 to 100 is needed/,
  )
  await send(['c@small.test', 'd@small.test'])
  await sink.until(4)

  rewrite('[default]\nrecipients_per_transaction = 100')
  await until(async () => (await metric('postroad_sites_file_faulty')) === 0, 'the mended file')
  await send(['e@small.test', 'f@small.test'])
  const [, , , , last] = await sink.until(5)
  assert.equal(last?.recipients.length, 2)
})

test('the service does not start with a file that it cannot use', async () => {
  await assert.rejects(startService({ sites: '/nowhere/sites.toml' }), {
    name: 'SitesError',
    message: /^POSTROAD_SITES names \/nowhere\/sites\.toml, which cannot be read: /,
  })
})

test('a site gets no more messages a minute than its limit, and the rest waits', async (t) => {
  const { sink, send } = await start(
    t,
    '[[site]]\nname = "Big"\nmx = ["*.big.test"]\nmessages_per_minute = 60\n',
  )
  const began = performance.now()
  const big = Array.from({ length: 12 }, (_, n) => send(`n${n}@${n % 2 === 0 ? 'one' : 'two'}.test`))
  await Promise.all([...big, send('other@small.test')])
  await sink.messageFor('other@small.test')
  assert.ok(sink.messages.length < 13, 'mail to another site does not wait')
  await sink.until(13)
  // Six at once, and each further one after a second and a tenth.
  assert.ok(performance.now() - began > 6 * 1_050)
  const asked = sink.dialogue.filter((line) => line.includes('C: MAIL'))
  assert.equal(asked.length, 13, 'nothing was tried before its turn')
})

test('a server that asks for some seconds gets them, and no message is tried meanwhile', async (t) => {
  let refusedAt = 0
  const { sink, send } = await start(t, '', ({ step }) => {
    if (step !== 'mail' || refusedAt > 0) return undefined
    refusedAt = performance.now()
    return { reply: '450 4.7.1 Too many messages, try again in 3 seconds' }
  })
  await send('first@small.test')
  await sink.when(() => refusedAt > 0, 'the refusal')
  await send('second@small.test')
  await sink.until(2)
  assert.ok(performance.now() - refusedAt >= 2_900)
})
