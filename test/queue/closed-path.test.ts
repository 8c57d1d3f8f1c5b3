/** The whole service before a relay that refuses us: mail waits without spending attempts, and flows when it is let through. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startDns } from '../../harness/dns.ts'
import type { RelayRoute } from '../../src/config/settings.ts'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import { retry } from '../../src/operate/queue.ts'
import { relayAt } from '../delivery/route/rig.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Service, startService } from '../support/service.ts'
import { type Script, type Sink, startSink } from '../support/sink.ts'

interface Stage {
  service: Service
  sink: Sink
  api: ApiClient
  send(to: string): Promise<string>
}

async function start(
  t: TestContext,
  script: Script,
  { waits = [1_000, 1_000, 600_000], relay = {} }: { waits?: number[]; relay?: Partial<RelayRoute> } = {},
): Promise<Stage> {
  const sink = await startSink({ script })
  const service = await startService({
    delivery: relayAt(sink.port, { tls: 'off', ...relay }),
    metrics: 'same',
    retrySchedule: waits,
  })
  t.after(async () => {
    await service.close()
    await sink.close()
  })
  const { key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const send = (to: string) => api.accepted({ from: 'news@acme.test', to, subject: 'Hello', text: 'Hello' })
  return { service, sink, api, send }
}

/** Steps of the dialogue that came so far, by name. */
function steps(sink: Sink, command: string): number {
  return sink.dialogue.filter((line) => line.includes(`C: ${command}`)).length
}

const REFUSALS: [what: string, script: Script][] = [
  [
    'greeting',
    ({ step }) => (step === 'connect' ? { reply: '554 5.7.1 no service', close: true } : undefined),
  ],
  [
    'EHLO',
    ({ step }) => (step === 'ehlo' ? { reply: '504 5.5.2 need fully-qualified hostname' } : undefined),
  ],
  ['MAIL', ({ step }) => (step === 'mail' ? { reply: '530 5.7.0 Authentication required' } : undefined)],
  ['RCPT', ({ step }) => (step === 'rcpt' ? { reply: '550 relay not permitted' } : undefined)],
  [
    'block list',
    ({ step }) =>
      step === 'rcpt'
        ? { reply: '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org' }
        : undefined,
  ],
]

for (const [what, script] of REFUSALS) {
  test(`refused at ${what}: no attempt is used up, no address is suppressed, the operator is notified, and all mail is sent in the end`, async (t) => {
    const { service, sink, api, send } = await start(t, script)
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => send(`n${n}@x.test`)))
    for (const id of ids) await api.lastEvent(id, 'delivery_delayed')

    const told = service.logged.filter((line) => line.includes('The relay accepts no mail'))
    assert.equal(told.length, 1, told.join('\n'))
    assert.deepEqual(await service.store.listSuppressions({ limit: 10 }), [])
    const [lane] = await service.store.queue()
    assert.ok(lane?.lastMessage)
    const page = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(page, /postroad_paths_closed\{kind="(path|credentials)"\} 1/)

    sink.script = undefined
    await sink.until(30)
    for (const id of ids) await api.lastEvent(id, 'delivered')
    for (const id of ids) {
      const { recipients } = (await service.store.readHistory(id))!
      assert.equal(recipients[0]?.attempts, 1)
    }
    assert.match(service.logged.join('\n'), /The path is open again/)
  })
}

test('while a path is closed one delivery at a time tries it, not the whole queue', async (t) => {
  const { service, sink, api, send } = await start(t, ({ step }) =>
    step === 'connect' ? { reply: '554 5.7.1 no', close: true } : undefined,
  )
  const first = await send('first@x.test')
  await api.lastEvent(first, 'delivery_delayed')
  const before = sink.connections
  const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  // The pauses are half a second and more: one or two of them may be over.
  assert.ok(sink.connections - before < 10, `${sink.connections - before} connections for 50 messages`)
  const { attempts } = (await service.store.readHistory(first))!
  assert.match(attempts[0]?.dialogue ?? '', /< 554 5\.7\.1 no/)
})

test('mail for a server that asks for a long wait waits in the store, and a retry tries the server at once', async (t) => {
  const { service, sink, api, send } = await start(t, ({ step }) =>
    step === 'mail'
      ? { reply: '421 4.7.0 Too many messages: try again in 15 minutes', close: true }
      : undefined,
  )
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const [lane] = await service.store.queue()
  assert.deepEqual([lane?.waiting, lane?.sending], [20, 0])
  assert.ok(lane!.nextDueAt! > Date.now() + 600_000, new Date(lane!.nextDueAt!).toISOString())

  sink.script = undefined
  await retry(operationOn(service.settings, service.store, OPERATOR, await service.store.accounts()), {})
  for (const id of ids) await api.lastEvent(id, 'delivered')
})

test('mail that has waited for a closed path as long as the whole schedule fails, and gives the reason', async (t) => {
  const script: Script = ({ step }) =>
    step === 'connect' ? { reply: '554 5.7.1 go away', close: true } : undefined
  const { service, api, send } = await start(t, script, { waits: [1_000, 1_000] })
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) {
    await api.lastEvent(id, 'failed')
    const { recipients } = (await service.store.readHistory(id))!
    assert.equal(recipients[0]?.attempts, 0)
    assert.match(
      recipients[0]?.lastMessage ?? '',
      /^Gave up after .* without an attempt.*554 5\.7\.1 go away/,
    )
  }
})

test('one sending domain that a relay does not let through holds up no other', async (t) => {
  const script: Script = ({ step, sender }) =>
    step === 'rcpt' && sender?.endsWith('@acme.test')
      ? { reply: `553 5.7.1 <${sender}>: Sender address rejected: not owned by user bob` }
      : undefined
  const { service, sink, api, send } = await start(t, script)
  const refused = await Promise.all(Array.from({ length: 10 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of refused) await api.lastEvent(id, 'delivery_delayed')
  const { key } = await service.tenant('other.test')
  const other = new ApiClient(service.url, key.token)
  for (let n = 0; n < 5; n++) {
    await other.accepted({ from: 'news@other.test', to: `o${n}@x.test`, subject: 'Hello', text: 'Hello' })
  }
  await sink.until(5)
  assert.ok(sink.messages.every(({ sender }) => sender === 'news@other.test'))
  assert.match(service.logged.join('\n'), /The relay accepts no mail from acme\.test/)
})

test('the reply of a stranger’s server through a relay stops no other mail', async (t) => {
  const replies = [
    '530 5.7.0 authentication required',
    '450 4.1.1 unverified address: host mx.evil.test[192.0.2.9] said: 421 4.7.0 too many connections',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required',
    '451 4.7.1 Domain acme.test has exceeded the max emails per hour (5/5 (100%)) allowed',
  ]
  const script: Script = ({ step, recipient }) => {
    const [, n] = /^n(\d+)@evil\.test$/.exec(recipient ?? '') ?? []
    return step === 'rcpt' && n !== undefined ? { reply: replies[Number(n) % replies.length]! } : undefined
  }
  const { service, sink, api, send } = await start(t, script)
  const refused = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`n${n}@evil.test`)))
  for (const [n, id] of refused.entries()) {
    await api.lastEvent(id, n % replies.length === 2 ? 'bounced' : 'delivery_delayed')
  }
  const { key } = await service.tenant('other.test')
  const other = new ApiClient(service.url, key.token)
  const to = (n: number) => ({ from: 'news@other.test', to: `o${n}@x.test`, subject: 'Hello', text: 'Hello' })
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => other.accepted(to(n))))
  await sink.until(5)
  for (const id of ids) {
    await other.lastEvent(id, 'delivered')
    const { attempts } = (await service.store.readHistory(id))!
    assert.equal(attempts.length, 1)
  }
  assert.doesNotMatch(service.logged.join('\n'), /The relay accepts no(?: more)? mail(?: for now)?:/)
})

test('a reply that a recipient controls stops no other mail to that server', async (t) => {
  // As a mailbox with a Sieve script does it (RFC 5429).
  const script: Script = ({ step, recipient }) =>
    step === 'rcpt' && recipient?.endsWith('@evil.test')
      ? { reply: '550 5.7.1 Too many connections from your address' }
      : undefined
  const provider = await startSink({ script })
  const shared = ['10 mx.provider.test']
  const dns = await startDns({
    'mx.provider.test/A': ['127.0.0.1'],
    'evil.test/MX': shared,
    'x.test/MX': shared,
  })
  const service = await startService({
    delivery: { kind: 'direct' },
    dnsServers: [dns.address],
    smtpPort: provider.port,
    allowPrivateNetworks: true,
    retrySchedule: [600_000],
  })
  t.after(async () => {
    await service.close()
    await dns.close()
    await provider.close()
  })
  const [{ key }, { key: otherKey }] = [await service.tenant('acme.test'), await service.tenant('other.test')]
  const acme = new ApiClient(service.url, key.token)
  const other = new ApiClient(service.url, otherKey.token)
  for (let n = 0; n < 4; n++) {
    const id = await acme.accepted({ from: 'a@acme.test', to: `n${n}@evil.test`, subject: 'Hi', text: 'Hi' })
    await acme.lastEvent(id, 'delivery_delayed')
    const theirs = { from: 'b@other.test', to: `o${n}@x.test`, subject: 'Hello', text: 'Hello' }
    await other.lastEvent(await other.accepted(theirs), 'delivered')
  }
  assert.equal(provider.messages.length, 4)
})

test('a site that opens releases the mail that waits for it, not that for other closed sites', async (t) => {
  const refuse: Script = ({ step }) =>
    step === 'connect' ? { reply: '554 5.7.1 go away', close: true } : undefined
  const one = await startSink({ script: refuse })
  const other = await startSink({ script: refuse, host: '127.0.0.2', port: one.port })
  const dns = await startDns({
    'mx.one.test/A': ['127.0.0.1'],
    'mx.other.test/A': ['127.0.0.2'],
    'one.test/MX': ['10 mx.one.test'],
    'other.test/MX': ['10 mx.other.test'],
  })
  const service = await startService({
    delivery: { kind: 'direct' },
    dnsServers: [dns.address],
    smtpPort: one.port,
    allowPrivateNetworks: true,
    metrics: 'same',
    retrySchedule: [600_000, 600_000],
  })
  t.after(async () => {
    await service.close()
    await dns.close()
    await one.close()
    await other.close()
  })
  const { key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const send = (to: string) => api.accepted({ from: 'a@acme.test', to, subject: 'Hello', text: 'Hello' })
  const givenBack = async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^postroad_deliveries_given_back_total (\d+)$/m.exec(page)?.[1])
  }
  const ids: string[] = []
  for (let n = 0; n < 40; n++) ids.push(await send(`n${n}@one.test`), await send(`n${n}@other.test`))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const before = await givenBack()
  assert.ok(before >= 40, `${before} given back`)
  one.script = undefined
  await one.until(40)
  assert.ok(
    (await givenBack()) - before < 10,
    `${await givenBack()} given back, and ${before} before it opened`,
  )
  assert.equal(other.messages.length, 0)
})

test('a relay is logged in to once, not once for each message, while it refuses the credentials', async (t) => {
  const { sink, api, send, service } = await start(
    t,
    ({ step }) => (step === 'mail' ? { reply: '535 5.7.8 invalid' } : undefined),
    { waits: [600_000, 600_000] },
  )
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const tried = steps(sink, 'MAIL')
  assert.ok(tried <= service.settings.siteConcurrency, `${tried} tries`)
  const later = await send('later@x.test')
  await api.lastEvent(later, 'delivery_delayed')
  assert.equal(steps(sink, 'MAIL'), tried)
})

test('queue retry tries a closed path now', async (t) => {
  const refuse: Script = ({ step }) =>
    step === 'mail' ? { reply: '530 5.7.0 Authentication required' } : undefined
  const { service, sink, api, send } = await start(t, refuse, { waits: [600_000, 600_000] })
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  sink.script = undefined
  const retried = await service.store.retry({
    companyId: null,
    domains: null,
    emailId: null,
    now: Date.now(),
  })
  assert.deepEqual([retried.retried, retried.held], [40, 0])
  await sink.until(40)
  for (const id of ids) await api.lastEvent(id, 'delivered')
})

test('queue retry tries a closed path once, not with each message, when nothing has changed', async (t) => {
  const refuse: Script = ({ step }) =>
    step === 'mail' ? { reply: '530 5.7.0 Authentication required' } : undefined
  const { service, sink, api, send } = await start(t, refuse, { waits: [600_000, 600_000] })
  const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const before = steps(sink, 'MAIL')
  await service.store.retry({ companyId: null, domains: null, emailId: null, now: Date.now() })
  // All of them come to where the path is looked at, and wait again.
  for (let insisting = ids.length; insisting > 0; ) {
    const recipients = await Promise.all(ids.map((id) => service.store.readHistory(id)))
    insisting = recipients.filter((history) => history!.recipients[0]!.dueAt! <= Date.now()).length
  }
  assert.ok(steps(sink, 'MAIL') - before <= 2, `${steps(sink, 'MAIL') - before} tries`)
})

test('a server that takes few connections at once gets that many, and refusals of the others cost no attempts', async (t) => {
  let refused = 0
  const { service, sink, send } = await start(
    t,
    ({ step }) => {
      if (step !== 'connect') return undefined
      if (sink.open > 2) {
        refused++
        return { reply: '421 4.7.0 Error: too many connections from 127.0.0.1', close: true }
      }
      return undefined
    },
    { waits: [1_000, 600_000] },
  )
  const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => send(`n${n}@x.test`)))
  await sink.until(60)
  for (const id of ids) {
    const { recipients } = (await service.store.readHistory(id))!
    assert.ok(recipients[0]!.attempts <= 1, `${recipients[0]!.attempts} attempts`)
  }
  assert.ok(refused < 60, `${refused} refused`)
})

test('a relay that takes a few messages at a time is reported once, not each time it stops', async (t) => {
  let asked = 0
  const limit: Script = ({ step }) => {
    if (step !== 'mail') return undefined
    asked += 1
    return asked % 4 === 0 ? { reply: '450 4.7.1 Error: too many connections from 192.0.2.1' } : undefined
  }
  const { service, sink, send } = await start(t, limit, { waits: [200, 600_000] })
  for (let n = 0; n < 12; n++) {
    await send(`n${n}@x.test`)
    // One after the other, so that each refusal meets a single session and closes the path.
    await sink.until(n + 1)
  }
  assert.ok(asked >= 15, `${asked} asked`)
  const told = service.logged.filter((line) => line.includes('accepts no more mail for now'))
  assert.equal(told.length, 1, told.join('\n'))
  const over = service.logged.filter((line) => line.includes('path is open again'))
  assert.equal(over.length, 1, over.join('\n'))
})

test('a relay that is down costs a few attempts, not one for each message, and all leave when it is up', async (t) => {
  // The delivery that tries the relay may be the same one several times.
  const waits = Array.from({ length: 20 }, () => 1_000)
  const { service, sink, api, send } = await start(t, () => undefined, { waits })
  await sink.close()
  const first = await send('first@x.test')
  await api.lastEvent(first, 'delivery_delayed')
  const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => send(`n${n}@x.test`)))
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const histories = await Promise.all(ids.map((id) => service.store.readHistory(id)))
  const spent = histories.reduce((sum, history) => sum + history!.recipients[0]!.attempts, 0)
  assert.ok(spent <= 5, `${spent} attempts spent on 50 messages`)
  await sink.listen()
  await sink.until(51)
})
