/** The time limits for connections to each address of a server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProbePauses } from '../../../src/delivery/route/probe-pauses.ts'
import { RouteState } from '../../../src/delivery/route/route-state.ts'
import type { ServerTarget } from '../../../src/delivery/route/server.ts'
import { ServerWalk } from '../../../src/delivery/route/server-walk.ts'
import { type PooledSession, SessionPool } from '../../../src/delivery/route/session-pool.ts'
import { type WalkLimits, walkLimits } from '../../../src/delivery/route/walk-limits.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { SmtpError } from '../../../src/delivery/smtp/error.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { deliveryTo } from './rig.ts'

/** No server answers; the addresses tried, and the longest wait for each, are noted without waiting. */
class Silence extends SessionPool {
  readonly asked: [address: string, connect: number][] = []

  override async open(_key: string, { address, timeouts }: SmtpTarget): Promise<PooledSession> {
    this.asked.push([address, timeouts!.connect!])
    throw new SmtpError('timeout', 'connect', `${address} took too long over connecting`)
  }
}

/** One server at these addresses, which does not answer. */
async function walk(addresses: string[], limits: Partial<WalkLimits> = {}) {
  const pool = new Silence({ idleTimeout: 60_000, maxAge: 60_000, maxIdle: 100 })
  const request = {
    delivery: deliveryTo(['jane@x.test']),
    sender: 'news@acme.test',
    message: () => Promise.reject(new Error('nobody is there to take it')),
    dialogue: new Dialogue(),
    mayHandOver: () => true,
    stopping: new AbortController().signal,
  }
  const target: ServerTarget = {
    host: 'mx.x.test',
    port: 25,
    implicitTls: false,
    tls: 'off',
    credentials: null,
    helo: 'out.acme.test',
  }
  const state = new RouteState('direct', { ...walkLimits, ...limits }, new ProbePauses([120_000]), pool)
  const { outcomes } = await new ServerWalk(request, state).visit([
    {
      target: async () => ({ kind: 'target', target }),
      preferredAddress: null,
      addresses: async () => ({ kind: 'addresses', addresses }),
    },
  ])
  return { asked: pool.asked, verdict: outcomes[0]!.verdict }
}

test('a dead address gets 10 s while there is another one to try, and the last one 30 s', async () => {
  assert.deepEqual(await walk(['2001:db8::1', '192.0.2.1', '192.0.2.2']), {
    asked: [
      ['2001:db8::1', 10_000],
      ['192.0.2.1', 10_000],
      ['192.0.2.2', 30_000],
    ],
    verdict: 'deferred',
  })
  assert.deepEqual((await walk(['192.0.2.1'])).asked, [['192.0.2.1', 30_000]])
})

test('the last address within the limit counts as the last one, however many there are', async () => {
  const { asked } = await walk(['192.0.2.1', '192.0.2.2', '192.0.2.3'], { addressesPerServer: 2 })
  assert.deepEqual(asked, [
    ['192.0.2.1', 10_000],
    ['192.0.2.2', 30_000],
  ])
})

test('no address gets more than the time for connecting', async () => {
  const { asked } = await walk(['192.0.2.1', '192.0.2.2'], { timeouts: { connect: 5_000 } })
  assert.deepEqual(asked, [
    ['192.0.2.1', 5_000],
    ['192.0.2.2', 5_000],
  ])
})
