/**
 * 15: poison.
 *
 * Composing or sending one message takes the whole process down. After the next start the service is ready, other mail flows, the message
 * is tried once by a process of its own and then put into quarantine, where every view shows it. Released when the fault is gone it goes
 * out; canceled it ends. A service that was killed with healthy mail under way puts nothing into quarantine.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import type { Tenant } from '../../../harness/service/tenant.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { type Sink, startSink } from '../../support/sink.ts'

const FAULT = fileURLToPath(new URL('./fault.mjs', import.meta.url))
/** Longest wait for what has to come, in ms. */
const PATIENCE = 60_000
/** The program of an isolated delivery, built or from source. */
const ISOLATED = /^isolated-process\.[jt]s$/

class Stage implements AsyncDisposable {
  readonly sink: Sink
  readonly installation: Installation
  readonly tenant: Tenant
  readonly #started: AsyncDisposableStack
  service!: ServiceChild
  api!: ApiClient

  private constructor(sink: Sink, installation: Installation, tenant: Tenant, started: AsyncDisposableStack) {
    this.sink = sink
    this.installation = installation
    this.tenant = tenant
    this.#started = started
  }

  static async start(settings: Record<string, string> = {}): Promise<Stage> {
    await using started = new AsyncDisposableStack()
    const sink = started.use(await startSink())
    const installation = started.use(
      new Installation({
        POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
        POSTROAD_METRICS_LISTEN: 'same',
        POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s',
        POSTROAD_NODE_TIMEOUT: '2s',
        ...settings,
      }),
    )
    const tenant = await installation.addTenant('acme.test')
    const stage = new Stage(sink, installation, tenant, started.move())
    await stage.serve()
    return stage
  }

  get fault(): string {
    return join(this.installation.directory, 'fault')
  }

  async serve(): Promise<void> {
    const settings = {
      NODE_OPTIONS: `--import ${FAULT}`,
      POISON_FAULT: this.fault,
      POISON_PORT: String(this.sink.port),
    }
    this.service = await this.installation.serve({ settings })
    this.api = new ApiClient(this.service.url, this.tenant.token)
  }

  /** Which programs the fault has killed so far. */
  get deaths(): string[] {
    if (!existsSync(`${this.fault}.deaths`)) return []
    const lines = readFileSync(`${this.fault}.deaths`, 'utf8').trimEnd().split('\n')
    return lines.map((line) => line.slice(line.lastIndexOf('/') + 1))
  }

  send(to: string | string[], subject: string, more: object = {}): Promise<string> {
    return this.api.accepted({ from: 'a@acme.test', to, subject, text: 'text', html: '<p>text</p>', ...more })
  }

  show(id: string): Promise<ShownEmail> {
    return this.installation.command('email', 'show', id)
  }

  async states(id: string): Promise<string[]> {
    return (await this.show(id)).recipients.map(({ state }) => state)
  }

  async until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE
    while (!(await holds())) {
      if (performance.now() > deadline)
        throw new Error(`waited in vain for ${what}\n${this.service.log.join('\n')}`)
      await pause(50)
    }
  }

  /** How many stand in a state. Asked over HTTP: a command would be a process each time. */
  recipients(state: string): Promise<number> {
    return this.metric(`postroad_recipients{state="${state}"}`)
  }

  /** Resolves when nothing waits, is being sent or in quarantine. */
  idle(): Promise<void> {
    const live = ['waiting', 'sending', 'quarantined']
    return this.until('the end of all', async () => {
      const counts = await Promise.all(live.map((state) => this.recipients(state)))
      return counts.every((count) => count === 0)
    })
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.service.url}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? 0 : Number(line.slice(name.length + 1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}

for (const [fault, threads] of [
  ['poison-sign', '1'],
  ['poison-send', '1'],
  ['poison-sign', '0'],
] as const) {
  test(`${fault} with ${threads} delivery threads kills the service once, and is in quarantine after it`, async () => {
    await using stage = await Stage.start({ POSTROAD_DELIVERY_THREADS: threads })
    const { sink, installation } = stage
    writeFileSync(stage.fault, '')
    const poison = await stage.send(['bad@x.test', 'worse@y.test'], fault).catch(() => null)
    await stage.service.ended()
    await stage.serve()
    // Accepted it was, whether or not the answer got out before the end.
    const id = poison ?? (await installation.command<{ id: string }[]>('email', 'list'))[0]!.id
    const healthy = await stage.send('good@x.test', 'healthy')
    await stage.api.lastEvent(healthy, 'delivered')
    await stage.until('quarantine', async () => (await stage.recipients('quarantined')) === 2)
    assert.deepEqual(await stage.states(id), ['quarantined', 'quarantined'])
    assert.ok(stage.service.alive)
    const programs = stage.deaths
    assert.ok(!ISOLATED.test(programs[0]!))
    assert.ok(programs.length > 1 && programs.slice(1).every((name) => ISOLATED.test(name)), `${programs}`)

    // Everybody can see it.
    const view = await stage.show(id)
    assert.match(view.recipients[0]!.message!, /^In quarantine: (composing|sending) it crashed the process/)
    assert.equal(view.recipients[0]!.attempts, fault === 'poison-sign' ? 0 : view.recipients[0]!.attempts)
    assert.equal(view.events.at(-1)!.type, 'delivery_delayed')
    const lanes = await installation.command<{ quarantined: number }[]>('queue')
    assert.equal(
      lanes.reduce((sum, { quarantined }) => sum + quarantined, 0),
      2,
    )
    const [listed] = await installation.command<{ id: string; recipients: number }[]>('queue', 'quarantine')
    assert.deepEqual([listed!.id, listed!.recipients], [id, 2])
    assert.equal(await stage.metric('postroad_recipients{state="quarantined"}'), 2)
    assert.ok((await stage.metric('postroad_recipient_outcomes_total{verdict="quarantined"}')) > 0)
    assert.ok(stage.service.log.some((line) => line.includes(id) && line.includes('quarantine')))

    // It stays there, whatever happens.
    await stage.service.kill('SIGKILL')
    await stage.serve()
    assert.deepEqual(await stage.states(id), ['quarantined', 'quarantined'])
    await assert.rejects(installation.command('queue', 'retry', id), /in quarantine; .* queue release/)

    // Released too early it is in quarantine again; the service lives on.
    const deaths = stage.deaths.length
    assert.equal((await installation.command<{ released: number }>('queue', 'release', id)).released, 2)
    await stage.until('another death', () => stage.deaths.length > deaths)
    await stage.until('quarantine', async () => (await stage.recipients('quarantined')) === 2)
    assert.deepEqual(await stage.states(id), ['quarantined', 'quarantined'])
    assert.ok(stage.service.alive)

    rmSync(stage.fault)
    await installation.command('queue', 'release', '--company', stage.tenant.companyId)
    await stage.idle()
    assert.deepEqual(await stage.states(id), ['delivered', 'delivered'])
    const copies = sink.messages.filter(({ raw }) => raw.includes(fault))
    assert.deepEqual(copies.flatMap(({ recipients }) => recipients).sort(), ['bad@x.test', 'worse@y.test'])
    assert.deepEqual(await installation.command('queue', 'quarantine'), [])
  })
}

test('waiting recipients of the same email go with it, and cancel ends them all', async () => {
  await using stage = await Stage.start()
  const { sink, installation } = stage
  sink.script = ({ step, recipient }) =>
    step === 'rcpt' && recipient === 'later@y.test' ? { reply: '450 4.2.0 later' } : undefined
  const id = await stage.send(['later@y.test', 'now@x.test'], 'poison-sign')
  await stage.api.lastEvent(id, 'delivery_delayed')
  sink.script = undefined
  writeFileSync(stage.fault, '')
  await stage.service.ended()
  await stage.serve()
  await stage.until('quarantine', async () => (await stage.recipients('quarantined')) > 0)
  const canceled = await installation.command<{ canceled: number; sending: number }>('email', 'cancel', id)
  assert.equal(canceled.canceled, 1)
  assert.ok(!(await stage.states(id)).some((state) => state === 'quarantined' || state === 'waiting'))
})

test('a service that is killed with healthy mail under way puts nothing into quarantine', async () => {
  await using stage = await Stage.start()
  const { sink } = stage
  const ids: string[] = []
  for (let round = 0; round < 4; round++) {
    const sent = Array.from({ length: 40 }, async (_, n) => {
      ids.push(await stage.send([`a${round}-${n}@x.test`, `b${round}-${n}@y.test`], 'healthy'))
    })
    // Some of the requests end with the service.
    const begun = Promise.race([
      Promise.allSettled(sent),
      sink.when(() => sink.messages.length > 30 * (round + 1), 'mail'),
    ])
    await begun
    await stage.service.kill('SIGKILL')
    await Promise.allSettled(sent)
    await stage.serve()
  }
  await stage.idle()
  assert.deepEqual(await stage.installation.command('queue'), [])
  for (const id of ids.slice(0, 20)) await stage.api.lastEvent(id, 'delivered')
  assert.deepEqual(await stage.states(ids[0]!), ['delivered', 'delivered'])
  assert.deepEqual(await stage.installation.command('queue', 'quarantine'), [])
  assert.deepEqual(stage.deaths, [])
})
