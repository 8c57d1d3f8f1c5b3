/**
 * 37: an operator deals with one provider (direct delivery).
 *
 * The servers of a provider defer the mail of two domains, and another server that of a third. The operator sees how much waits for each,
 * and the replies; pauses the provider while its support works on it; looks up how mail would leave; and has the provider’s mail, and no
 * other, tried again when the fault is gone. The file of limits is changed while the service runs: a fault in it changes nothing and is
 * named by its line, and a correct file holds for the next message.
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

const ELSEWHERE = '127.0.37.1'
const LATER = { reply: '451 4.3.0 The mailbox store is being repaired' }

function sites(recipients: string): string {
  return `
[[site]]
name = "Partner"
mx = ["*.partner.test"]
recipients_per_transaction = ${recipients}
`
}

interface Sum {
  site: string
  domains: string[]
  waiting: number
  last_answer: string
}

interface Explained {
  deliverable: boolean
  problem: string | null
  route: string
  site: { name: string; limits: { recipients_per_transaction: number } }
  hosts: { name: string; addresses: string[]; tls: { demand: string; source: string } }[]
  pauses: { site: string; reason: string }[]
  last: { state: string; recipient: string; reply: string }[]
}

test('an operator sees, pauses, explains and retries the mail of one provider, and changes its limits', async (t) => {
  let isRepaired = false
  const script = ({ step }: { step: string }) => (step === 'rcpt' && !isRepaired ? LATER : undefined)
  await using partner = await startSink({ script })
  await using _elsewhere = await startSink({ host: ELSEWHERE, port: partner.port, script })
  const dns = await startDns({
    'one.test/MX': ['10 mx.partner.test'],
    'two.test/MX': ['10 mx.partner.test'],
    'mx.partner.test/A': ['127.0.0.1'],
    'other.test/MX': ['10 mx.other.test'],
    'mx.other.test/A': [ELSEWHERE],
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(partner.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: '10h,10h,10h',
    POSTROAD_SITES: 'sites.toml',
    POSTROAD_LOG_LEVEL: 'info',
  })
  const file = join(installation.directory, 'sites.toml')
  writeFileSync(file, sites('1'))
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const send = (...to: string[]) => api.accepted({ from: `a@${domain}`, to, subject: 'Hello', text: 'Hello' })
  const show = (id: string) => installation.command<ShownEmail>('email', 'show', id)
  const explain = () => installation.command<Explained>('explain', 'jane@one.test', '--from', domain)

  const waiting = [await send('jane@one.test'), await send('joe@two.test'), await send('ann@other.test')]
  for (const id of waiting) await api.lastEvent(id, 'delivery_delayed')
  const sums = await installation.command<Sum[]>('queue', '--by', 'site')
  assert.deepEqual(
    sums.map(({ site, domains, waiting: count }) => [site, domains.toSorted(), count]),
    [
      ['Partner', ['one.test', 'two.test'], 2],
      ['mx.other.test', ['other.test'], 1],
    ],
  )
  for (const { last_answer } of sums) assert.match(last_answer, /being repaired/)

  const reason = 'their support works on it'
  await installation.command('queue', 'pause', '--site', 'Partner', '--reason', reason)
  const paused = await explain()
  assert.equal(paused.deliverable, false)
  assert.match(paused.problem!, /paused/)
  assert.deepEqual(
    paused.pauses.map((each) => [each.site, each.reason]),
    [['Partner', reason]],
  )
  const [last] = paused.last
  assert.deepEqual([last!.state, last!.recipient], ['waiting', 'jane@one.test'])
  assert.match(last!.reply, /being repaired/)

  isRepaired = true
  // A pause reaches the service with its next look at the store. Mail to others goes meanwhile.
  const kept = await until(async () => {
    const id = await send('late@two.test')
    await api.lastEvent(await send('bob@other.test'), 'delivered')
    if ((await show(id)).recipients[0]!.state === 'waiting') return id
    await api.lastEvent(id, 'delivered')
    return undefined
  }, 'mail that the pause holds')
  await installation.command('queue', 'retry', '--site', 'Partner')
  await api.lastEvent(await send('bob@other.test'), 'delivered')
  const attemptsOf = async (id: string) => (await show(id)).recipients[0]!.attempts
  assert.deepEqual([await attemptsOf(waiting[0]!), await attemptsOf(kept)], [1, 0])

  await installation.command('queue', 'resume', '--site', 'Partner')
  await installation.command('queue', 'retry', '--site', 'Partner')
  for (const id of [waiting[0]!, waiting[1]!, kept]) await api.lastEvent(id, 'delivered')
  assert.equal(await attemptsOf(waiting[2]!), 1, 'mail to others is not tried')
  const free = await explain()
  assert.deepEqual([free.deliverable, free.problem, free.route, free.pauses], [true, null, 'direct', []])
  assert.deepEqual(
    free.hosts.map(({ name, addresses, tls }) => [name, addresses, tls.demand, tls.source]),
    [['mx.partner.test', ['127.0.0.1'], 'opportunistic', 'default']],
  )
  assert.deepEqual([free.site.name, free.site.limits.recipients_per_transaction], ['Partner', 1])

  const taken = async () => {
    const before = partner.messages.length
    await api.lastEvent(await send('a@one.test', 'b@one.test'), 'delivered')
    return partner.messages.slice(before).map(({ recipients }) => recipients.length)
  }
  const logged = (words: RegExp) => until(() => service.log.some((line) => words.test(line)), String(words))
  assert.deepEqual(await taken(), [1, 1])
  writeFileSync(file, sites('"many"'))
  await logged(/sites file cannot be used.*sites\.toml, line 5: recipients_per_transaction/)
  assert.deepEqual(await taken(), [1, 1], 'what was right before')
  writeFileSync(file, sites('10'))
  await logged(/The changed sites file is in force/)
  assert.deepEqual(await taken(), [2])
  assert.equal((await explain()).site.limits.recipients_per_transaction, 10)
})
