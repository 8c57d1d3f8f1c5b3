/** The plan of the memory: its parts stay below the whole, and one message of the largest size always has room. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../src/config/load.ts'
import { bodyLimit, leastMemory, planMemory } from '../../src/config/memory-plan.ts'
import { SettingsError } from '../../src/config/settings-error.ts'

const MIB = 1024 * 1024

for (const memory of [400, 600, 2_000, 16_000]) {
  for (const deliveryThreads of [0, 3, 8]) {
    const input = { memory: memory * MIB, maxMessageSize: 40 * MIB, deliveryThreads }
    if (input.memory < leastMemory(input)) continue
    test(`${memory} MB and ${deliveryThreads} delivery threads: the parts are less than the whole`, () => {
      const plan = planMemory(input)
      // Companies that hold nothing may go twice as far with what waits to be sent.
      const parts = plan.small + plan.large + plan.copies + 2 * plan.ready + 2 * plan.readyLarge
      assert.ok(parts < input.memory, `${parts} of ${input.memory}`)
      assert.ok(Object.values(plan).every((value) => typeof value !== 'number' || value > 0))
      assert.equal(plan.body.max, bodyLimit(input.maxMessageSize))
    })
  }
}

test('with more memory every part grows', () => {
  const less = planMemory({ memory: 400 * MIB, maxMessageSize: 40 * MIB, deliveryThreads: 0 })
  const more = planMemory({ memory: 800 * MIB, maxMessageSize: 40 * MIB, deliveryThreads: 0 })
  for (const part of ['small', 'large', 'copies', 'ready', 'readyLarge', 'connections', 'requests'] as const)
    assert.ok(less[part] < more[part], part)
})

test('a bounce mailbox leaves less for the others', () => {
  const input = { memory: 600 * MIB, maxMessageSize: 40 * MIB, deliveryThreads: 0 }
  const without = planMemory({ ...input, bounceMailbox: null })
  const beside = planMemory({ ...input, bounceMailbox: {} })
  for (const part of ['small', 'large', 'ready', 'readyLarge'] as const)
    assert.ok(beside[part] < without[part], part)
})

test('the defaults have room for the largest message, however many processors there are', () => {
  for (let threads = 0; threads <= 8; threads++)
    assert.doesNotThrow(() => loadSettings({ POSTROAD_DELIVERY_THREADS: String(threads) }, { envFile: null }))
})

test('an error about too little memory for one message says how much would suffice', () => {
  assert.throws(
    () => loadSettings({ POSTROAD_MEMORY: '400MB', POSTROAD_MAX_MESSAGE_SIZE: '100MB' }, { envFile: null }),
    (error: unknown) =>
      error instanceof SettingsError &&
      /POSTROAD_MEMORY \(400MB\) is too little .*POSTROAD_MAX_MESSAGE_SIZE \(100MB\).*set it to \d+MB or more/.test(
        error.message,
      ),
  )
})

test('a bounce mailbox counts for the least memory as well', () => {
  const input = { maxMessageSize: 40 * MIB, deliveryThreads: 0 }
  const without = leastMemory({ ...input, bounceMailbox: null })
  const least = leastMemory({ ...input, bounceMailbox: {} })
  assert.equal(least - without, 56 * MIB)
  const memory = `${Math.ceil(without / MIB) + 1}MB`
  const settings = {
    POSTROAD_MEMORY: memory,
    POSTROAD_MAX_MESSAGE_SIZE: '40MB',
    POSTROAD_DELIVERY_THREADS: '0',
  }
  const mailbox = { POSTROAD_BOUNCE_MAILBOX: 'imaps://user:secret@mail.example.com' }
  assert.doesNotThrow(() => loadSettings(settings, { envFile: null }))
  assert.throws(
    () => loadSettings({ ...settings, ...mailbox }, { envFile: null }),
    (error: unknown) =>
      error instanceof SettingsError &&
      /and 0 delivery threads, and a bounce mailbox \(POSTROAD_BOUNCE_MAILBOX\): set it to /.test(
        error.message,
      ),
  )
})

test('only where memory is small is garbage collected more often than V8 would', () => {
  const input = { maxMessageSize: 40 * MIB, deliveryThreads: 0 }
  assert.equal(planMemory({ ...input, memory: 600_000_000 }).heapGrowth, null)
  assert.equal(typeof planMemory({ ...input, memory: 400_000_000 }).heapGrowth, 'number')
})
