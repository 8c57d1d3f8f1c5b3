import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withoutPostgres } from '../support/postgres.ts'
import type { ShownEmail } from '../support/relayed-service.ts'
import { until } from '../support/until.ts'
import { Fleet } from './fleet.ts'

const FAULT = fileURLToPath(new URL('../scenarios/15-poison/fault.mjs', import.meta.url))

test('a message that crashed one node does not crash the node that takes over its work', {
  skip: withoutPostgres(),
}, async () => {
  await using fleet = await Fleet.start()
  const { installation } = fleet
  const fault = join(installation.directory, 'fault')
  const settings = {
    NODE_OPTIONS: `--import ${FAULT}`,
    POISON_FAULT: fault,
    POISON_PORT: String(fleet.sink.port),
  }
  const states = async (id: string) => {
    const { recipients } = await installation.command<ShownEmail>('email', 'show', id)
    return recipients.map(({ state }) => state)
  }
  const first = await fleet.node('first', 'api,delivery', settings)
  const second = await fleet.node('second', 'api,delivery', settings)
  writeFileSync(fault, '')
  const poison = { from: 'a@acme.test', to: ['bad@x.test'], subject: 'poison-sign', text: 't' }
  const answered = await first.api.accepted(poison).catch(() => null)
  await first.child.ended()
  const id = answered ?? (await installation.command<{ id: string }[]>('email', 'list'))[0]!.id
  const sent = await fleet.send(second, 20)
  await fleet.arrived(sent)
  await until(async () => (await states(id))[0] === 'quarantined', 'quarantine')
  assert.ok(second.child.alive)
  assert.equal(await second.metric('postroad_isolated_process_deaths_total{cause="crash"}'), 1)

  // A third one that starts meets it no more; released, it goes out once the fault is gone.
  const third = await fleet.node('third', 'delivery', settings)
  rmSync(fault)
  await installation.command('queue', 'release', id)
  await until(async () => (await states(id))[0] === 'delivered', 'delivery')
  assert.ok(second.child.alive && third.child.alive)
  assert.deepEqual(fleet.doubled(), [])
})
