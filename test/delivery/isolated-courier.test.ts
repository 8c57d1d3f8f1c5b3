/** The isolated process for suspect mail, and the results of its deliveries when it crashes. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import type { DeliveryRoute } from '../../src/config/settings.ts'
import type { Courier, Delivery } from '../../src/delivery/delivery.ts'
import { IsolatedCourier } from '../../src/delivery/isolation/isolated-courier.ts'
import { RouteCourier } from '../../src/delivery/route-courier.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { isNotAttempted } from '../../src/email/not-attempted.ts'
import { createLogger } from '../../src/log.ts'
import { Boundaries } from '../../src/mail/compose/boundary.ts'
import type { Suspicion } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { content, deliveryTo, wayBy } from './route/rig.ts'

const FAULT = fileURLToPath(new URL('../scenarios/15-poison/fault.mjs', import.meta.url))
const secret = Buffer.alloc(32, 1)
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const signing = [
  { id: 'k', domain: 'acme.test', selector: 's', algorithm: 'rsa-sha256' as const, privateKey },
]

function delivery(subject: string, suspicion: Suspicion = 1): Delivery {
  const message = { kind: 'parts' as const, content: { ...content, subject } }
  return { ...deliveryTo(['to@x.test']), message, signing, suspicion }
}

function relay({ port }: Sink): DeliveryRoute {
  return {
    kind: 'relay',
    host: '127.0.0.1',
    port,
    implicitTls: false,
    tls: 'off',
    user: null,
    password: null,
    auth: null,
  }
}

interface Bench {
  courier: Courier
  deaths: string[]
}

function open(
  t: TestContext,
  { route = { kind: 'capture' } as DeliveryRoute, deadline = 30_000 } = {},
): Bench {
  const fault = join(temporaryDirectory(t), 'fault')
  writeFileSync(fault, '')
  Object.assign(process.env, { NODE_OPTIONS: `--import ${FAULT}`, POISON_FAULT: fault, POISON_PORT: '0' })
  const right = new SendingRight()
  right.grant(1, Number.POSITIVE_INFINITY)
  const deaths: string[] = []
  const options = {
    dnsServers: [],
    dnsValidating: [],
    smtpPort: 25,
    allowPrivateNetworks: true,
    sourceAddresses: [],
    retrySchedule: [120_000],
  }
  const courier = new IsolatedCourier({
    process: { ...options, boundarySecret: secret, returnPathSecret: secret },
    right,
    log: createLogger('silent'),
    onDeath: (cause) => deaths.push(cause),
    deadline,
  })
  t.after(async () => {
    delete process.env.NODE_OPTIONS
    await courier.close(1_000)
  })
  const deliver = (one: Delivery) => courier.deliver({ ...one, path: wayBy(route) })
  return { courier: { deliver, close: (ms) => courier.close(ms) }, deaths }
}

/** The child processes of this process, as Linux lists them. */
function children(pid = process.pid): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20)
}

test('delivers the same octets as the service itself', async (t) => {
  const { courier } = open(t)
  const here = new RouteCourier({
    resolver: new Resolver(),
    smtpPort: 25,
    allowPrivateNetworks: true,
    retrySchedule: [120_000],
    boundaries: new Boundaries(secret),
    right: { holds: () => true },
    log: createLogger('silent'),
  })
  const [isolated, usual] = await Promise.all([
    courier.deliver(delivery('healthy')),
    here.deliver(delivery('healthy')),
  ])
  assert.equal(isolated.outcomes[0]!.verdict, 'delivered')
  assert.deepEqual(Buffer.from(isolated.captured!), Buffer.from(usual.captured!))
})

test('only the message whose composing crashes it is condemned', async (t) => {
  const { courier, deaths } = open(t)
  const results = await Promise.all(
    ['healthy 1', 'poison-sign', 'healthy 2', 'poison-sign', 'healthy 3'].map((subject) =>
      courier.deliver(delivery(subject)),
    ),
  )
  assert.deepEqual(
    results.map(({ condemned, outcomes }) => condemned?.during ?? outcomes[0]!.verdict),
    ['delivered', 'composing', 'delivered', 'composing', 'delivered'],
  )
  assert.match(results[1]!.condemned!.message, /crashed the process \(SIGSEGV\)/)
  assert.deepEqual(deaths, ['crash', 'crash'])
})

test('a delivery that never ends is stopped and condemned', async (t) => {
  const { courier, deaths } = open(t, { deadline: 2_000 })
  const hanging = courier.deliver(delivery('poison-hang'))
  const healthy = courier.deliver(delivery('healthy'))
  assert.deepEqual((await hanging).condemned!.cause, 'time')
  assert.equal((await healthy).outcomes[0]!.verdict, 'delivered')
  assert.deepEqual(deaths, ['time'])
})

test('a first kill from outside condemns no delivery', async (t) => {
  const { courier } = open(t)
  for (const suspicion of [1, 2] as const) {
    const under = courier.deliver(delivery('poison-hang', suspicion))
    const [child] = children()
    // Until it is caught in its loop it would be too early to blame anything.
    await until(() => ticks(child!) > 300)
    process.kill(child!, 'SIGKILL')
    const { condemned, outcomes } = await under
    if (suspicion === 2) assert.equal(condemned!.cause, 'memory')
    else {
      assert.equal(condemned, undefined)
      assert.deepEqual([outcomes[0]!.verdict, outcomes[0]!.suspicion], ['released', 2])
      assert.ok(isNotAttempted(outcomes[0]!.message), 'no code of an earlier answer stands before it')
    }
  }
})

/** Processor time of a process, in hundredths of a second. */
function ticks(pid: number): number {
  const [, rest] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  return Number(rest!.split(' ')[11])
}

test('a message that was only being sent during the crash is uncertain, and is tried alone the next time', async (t) => {
  const sink = await startSink()
  t.after(() => sink.close())
  const dots = new Set<number>()
  sink.script = async ({ step, session }) => {
    if (step !== 'dot') return undefined
    dots.add(session)
    // No answer.
    return await new Promise<undefined>(() => {})
  }
  const { courier } = open(t, { route: relay(sink) })
  const both = [courier.deliver(delivery('one')), courier.deliver(delivery('two'))]
  await until(() => dots.size === 2)
  process.kill(children()[0]!, 'SIGSEGV')
  for (const { condemned, outcomes } of await Promise.all(both)) {
    assert.equal(condemned, undefined)
    assert.deepEqual([outcomes[0]!.verdict, outcomes[0]!.suspicion], ['uncertain', 2])
  }
  dots.clear()
  const alone = courier.deliver(delivery('one', 2))
  const next = courier.deliver(delivery('two', 2))
  await until(() => dots.size === 1)
  process.kill(children()[0]!, 'SIGSEGV')
  // A crash condemns a message only if no other is being sent.
  assert.equal((await alone).condemned!.during, 'sending')
  await until(() => dots.size === 2)
  process.kill(children()[0]!, 'SIGSEGV')
  assert.equal((await next).condemned!.during, 'sending')
})

test('ends with the service, even if it is in an endless loop', {
  skip: !existsSync('/proc/self/task'),
}, async (t) => {
  const program = fileURLToPath(new URL('./isolated-program.ts', import.meta.url))
  const fault = join(temporaryDirectory(t), 'fault')
  writeFileSync(fault, '')
  const env = { ...process.env, NODE_OPTIONS: `--import ${FAULT}`, POISON_FAULT: fault, POISON_PORT: '0' }
  const service = spawn(process.execPath, [program], { env, stdio: 'ignore' })
  await until(() => children(service.pid).length > 0)
  const [child] = children(service.pid)
  await until(() => ticks(child!) > 300)
  service.kill('SIGKILL')
  await once(service, 'exit')
  await until(() => !existsSync(`/proc/${child}`))
})
