/** The whole service: a trouble of the mail of one company stops no mail of another. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startDns, type Zone } from '../../harness/dns.ts'
import type { SourceAddress } from '../../src/config/settings.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'
import { type Script, startSink } from '../support/sink.ts'

/** `evil`: the behaviour of the servers at 127.0.0.2; absent: no server is there. */
async function start(
  t: TestContext,
  zone: Zone,
  script?: Script,
  evil?: Script,
  sourceAddresses: SourceAddress[] | null = null,
) {
  const sites = join(temporaryDirectory(t), 'sites.toml')
  writeFileSync(sites, '[[site]]\nname = "Big"\nmx = ["*.big.test"]\n')
  const sink = await startSink(script === undefined ? {} : { script })
  const theirs =
    evil === undefined ? null : await startSink({ host: '127.0.0.2', port: sink.port, script: evil })
  const dns = await startDns(zone)
  const service = await startService({
    delivery: { kind: 'direct' },
    dnsServers: [dns.address],
    smtpPort: sink.port,
    allowPrivateNetworks: true,
    retrySchedule: [600_000],
    sites,
    sourceAddresses,
  })
  t.after(async () => {
    await service.close()
    await dns.close()
    await sink.close()
    await theirs?.close()
  })
  const company = async (domain: string) => {
    const { key } = await service.tenant(domain)
    const api = new ApiClient(service.url, key.token)
    const send = (to: string) => api.accepted({ from: `a@${domain}`, to, subject: 'Hello', text: 'Hello' })
    return {
      send,
      delivered: async (to: string) => await api.lastEvent(await send(to), 'delivered'),
      waits: async (to: string) => {
        const id = await send(to)
        await api.lastEvent(id, 'delivery_delayed')
        return (await service.store.readHistory(id))!.recipients[0]!
      },
    }
  }
  return { service, sink, theirs, company }
}

const BIG: Zone = {
  'big.test/MX': ['10 mx.big.test'],
  'mx.big.test/A': ['127.0.0.1'],
  'evil.test/MX': ['10 src.big.test'],
  'src.big.test/A': ['127.0.0.2'],
}

test('mail to silent hosts of a provider closes the provider for no company', async (t) => {
  const { service, company } = await start(t, BIG)
  const [victim, attacker] = [await company('victim.test'), await company('attacker.test')]
  await victim.delivered('ann@big.test')
  for (const to of ['x@evil.test', 'x@src.big.test']) {
    for (let n = 0; n < 3; n++) {
      await attacker.waits(to)
      await victim.delivered('ann@big.test')
      await attacker.delivered('ann@big.test')
    }
  }
  const told = service.logged.filter((line) => line.includes('The mail servers of Big accept no mail'))
  assert.equal(told.length, 1, 'the operator hears of it')
  assert.match(told[0]!, /from the company /)
})

test('a server below the name of a provider that reports a block closes the provider for no other company', async (t) => {
  const { company } = await start(t, BIG, undefined, ({ step }) =>
    step === 'connect' ? { reply: '554 5.7.1 Your IP is blocked, see spamhaus', close: true } : undefined,
  )
  const [victim, attacker] = [await company('victim.test'), await company('attacker.test')]
  for (let n = 0; n < 3; n++) {
    await attacker.waits('x@evil.test')
    await victim.delivered('ann@big.test')
  }
})

test('a recipient that makes a shared server report that it is busy stops its own mail alone', async (t) => {
  const { company, sink } = await start(
    t,
    {
      'customer.test/MX': ['10 mx.shared.test'],
      'evil.test/MX': ['10 mx.shared.test'],
      'mx.shared.test/A': ['127.0.0.1'],
    },
    ({ step, recipient }) =>
      step === 'rcpt' && recipient?.endsWith('@evil.test')
        ? { reply: '451 4.7.1 Server busy, too many connections, try again in 15 minutes' }
        : undefined,
  )
  const [victim, attacker] = [await company('victim.test'), await company('attacker.test')]
  await victim.delivered('ann@customer.test')
  const before = Date.now()
  const { dueAt } = await attacker.waits('x@evil.test')
  assert.ok(dueAt! >= before + 15 * 60_000, 'the wait that was asked for')
  for (let n = 0; n < 3; n++) {
    await attacker.waits(`y${n}@evil.test`)
    for (const each of [victim, attacker]) await each.delivered('ann@customer.test')
  }
  const asked = sink.dialogue.filter((line) => line.includes('@evil.test'))
  assert.equal(asked.length, 1, 'and the server is spared the rest')
})

test('servers that refuse two companies are not tried for a third one, which does not see their words', async (t) => {
  const words = 'mail from 192.0.2.1 is blocked; last recipient jane@blocked.test'
  const { company, sink } = await start(
    t,
    { 'blocked.test/MX': ['10 mx.blocked.test'], 'mx.blocked.test/A': ['127.0.0.1'] },
    ({ step }) => (step === 'connect' ? { reply: `554 5.7.1 ${words}`, close: true } : undefined),
  )
  const shown = []
  for (const domain of ['one.test', 'two.test', 'three.test']) {
    const { waits } = await company(domain)
    for (let n = 0; n < 2; n++) shown.push((await waits('jane@blocked.test')).lastMessage ?? '')
  }
  assert.equal(sink.connections, 2)
  assert.deepEqual(
    shown.map((message) => message.includes(words)),
    [true, true, true, true, false, false],
  )
  assert.match(shown[4]!, /mx\.blocked\.test \[127\.0\.0\.1\]:\d+ refuses mail from this service \(554\)/)
})

test('one answer to a recipient that names a block list closes the path of the company, and tells its source', async (t) => {
  const refusal = '550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'
  const { service, company, sink } = await start(
    t,
    BIG,
    ({ step }) => (step === 'rcpt' ? { reply: refusal } : undefined),
    undefined,
    [{ address: '127.0.0.7', helo: 'out.acme.test' }],
  )
  const { waits } = await company('acme.test')
  const other = await company('other.test')
  await waits('ann@big.test')
  await waits('bob@big.test')
  const asked = () => sink.dialogue.filter((line) => line.includes('C: RCPT')).length
  assert.equal(asked(), 1)
  const lines = service.logged.filter((line) => line.includes('accept no mail'))
  assert.equal(lines.length, 1, lines.join('\n'))
  const told = JSON.parse(lines[0]!)
  assert.deepEqual([told.site, told.kind, told.source, told.list], ['Big', 'path', '127.0.0.7', 'Spamhaus'])
  assert.ok(told.companyId)
  assert.match(told.msg, /from the company .* \(source address 127\.0\.0\.7\): /)
  // A recipient can write such words, so another company finds out for itself.
  await other.waits('ann@big.test')
  assert.equal(asked(), 2)
})

const [DEAD, WELL] = ['127.0.0.5', '127.0.0.6']
const FAILURES: [what: string, script: Script][] = [
  ['cannot reach the servers', ({ step }) => (step === 'connect' ? { close: true } : undefined)],
  [
    'is at its limit for a recipient domain',
    ({ step }) =>
      step === 'rcpt'
        ? { reply: '451 4.7.1 Server busy, too many connections, try again in 15 minutes' }
        : undefined,
  ],
]

for (const [what, script] of FAILURES) {
  test(`mail leaves from another source when one ${what}`, async (t) => {
    const { company, sink } = await start(
      t,
      BIG,
      (moment) => (moment.peer === DEAD ? script(moment) : undefined),
      undefined,
      [DEAD, WELL].map((address) => ({ address, helo: 'out.acme.test' })),
    )
    const { delivered } = await company('acme.test')
    for (let n = 0; n < 8; n++) await delivered(`n${n}@big.test`)
    assert.ok(sink.messages.every(({ peer }) => peer === WELL))
  })
}
