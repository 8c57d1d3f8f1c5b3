/** The store here answers when the test says so; a real one that hangs is cut off in test/nodes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../src/metrics.ts'
import { Recorder } from '../../src/queue/recorder.ts'
import { type RecordResult, StoreUnavailable } from '../../src/store/store.ts'
import { attempt, result } from '../store/samples.ts'

const record = attempt({ id: 'email' }, 1, [result(0)])
const STALL_MS = 40

function recorder() {
  const asked: PromiseWithResolvers<RecordResult>[] = []
  const told: string[] = []
  const fault = Promise.withResolvers<void>()
  const places = { given: 0 }
  const parts = {
    store: {
      record: () => {
        asked.push(Promise.withResolvers<RecordResult>())
        return asked.at(-1)!.promise
      },
    },
    unrecorded: { recorded: () => places.given++ },
    onRecovered: () => told.push('recovered'),
    metrics: new Metrics(),
    log: {
      info() {},
      warn: () => told.push('fenced'),
      error: () => {
        told.push('error')
        fault.resolve()
      },
    },
  }
  const made = new Recorder(parts, STALL_MS)
  return { made, asked, told, places, fault: fault.promise }
}

test('a store that does not answer pauses delivery, and its first answer ends that', async () => {
  const { made, asked, told, fault } = recorder()
  const recorded = [made.record(record), made.record(record)]
  assert.equal(made.halted, false)
  await fault
  assert.equal(made.halted, true)
  asked[0]!.resolve({ refused: [] })
  assert.deepEqual(await recorded[0], { refused: [] })
  assert.equal(made.halted, false)
  asked[1]!.resolve({ refused: [0] })
  assert.deepEqual(await recorded[1], { refused: [0] })
  assert.deepEqual(told, ['error', 'recovered', 'fenced'])
  await made.flushed(1_000)
})

test('a late error of the store keeps it paused, and is reported once', async () => {
  const { made, asked, told, fault } = recorder()
  const recorded = made.record(record)
  await fault
  asked[0]!.reject(new StoreUnavailable('away'))
  while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(made.halted, true)
  asked[1]!.resolve({ refused: [] })
  assert.deepEqual(await recorded, { refused: [] })
  assert.equal(made.halted, false)
  assert.deepEqual(told, ['error', 'recovered'])
  await made.flushed(1_000)
})

test('an idle store causes no report', async () => {
  const { made, told } = recorder()
  await new Promise((resolve) => setTimeout(resolve, 5 * STALL_MS))
  assert.equal(made.halted, false)
  assert.deepEqual(told, [])
  await made.flushed(1_000)
})

test('a place is given back once, when the result is durable or never will be', async () => {
  const { made, asked, places } = recorder()
  const first = made.record(record, true)
  const second = made.record(record)
  const third = made.record(record, true)
  asked[0]!.resolve({ refused: [] })
  await first
  assert.equal(places.given, 1)
  asked[1]!.resolve({ refused: [] })
  await second
  assert.equal(places.given, 1)
  asked[2]!.reject(new Error('a damaged page'))
  assert.equal(await third, null)
  assert.equal(places.given, 2)
  const fourth = made.record(record, true)
  const flushed = made.flushed(0)
  await flushed
  assert.equal(places.given, 2)
  asked[3]!.reject(new StoreUnavailable('away'))
  assert.equal(await fourth, null)
  assert.equal(places.given, 3)
})
