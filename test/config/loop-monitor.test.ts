/** Stalls of the main thread are counted, and logged with the name of the work that caused them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { presentWork } from '../../src/common/present-work.ts'
import { createLogger } from '../../src/log.ts'
import { LoopMonitor } from '../../src/loop-monitor.ts'

const describe = (id: string) => ({ id })

/** Keeps the thread from everything else. */
function stall(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

async function told(
  work: (monitor: LoopMonitor) => void,
): Promise<{ line: Record<string, unknown>; registry: Registry }> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const registry = new Registry()
  const monitor = new LoopMonitor(
    registry,
    createLogger('warn', { pretty: false, stream: { write: resolve } }),
  )
  monitor.start()
  work(monitor)
  const alive = setInterval(() => {}, 1_000)
  const line = JSON.parse(await promise) as Record<string, unknown>
  clearInterval(alive)
  monitor.stop()
  return { line, registry }
}

test('the log names the longest task, not the tasks before or after it', async () => {
  const { line, registry } = await told((monitor) => {
    monitor.on(describe, 'first')
    stall(15)
    monitor.on(describe, 'culprit')
    stall(150)
    monitor.on(describe, 'last')
    stall(15)
  })
  assert.deepEqual(line.for, { id: 'culprit' })
  assert.ok((line.of as number) >= 150 && (line.ms as number) >= (line.of as number))
  const page = await registry.metrics()
  assert.match(page, /^postroad_main_thread_stalls_total 1$/m)
  assert.match(page, /^postroad_main_thread_stall_seconds_count 1$/m)
})

test('processor time is counted by itself: a thread that waits for the processor has not worked', async () => {
  const { line, registry } = await told((monitor) => {
    monitor.on(describe, 'asleep')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
  })
  assert.ok((line.ms as number) >= 140 && (line.cpu as number) < 50)
  assert.match(
    await registry.metrics(),
    /^postroad_main_thread_stall_cpu_seconds_bucket\{le="0.05"\} (\d+)$/m,
  )
  const worked = await told(() => stall(150))
  assert.ok((worked.line.cpu as number) <= (worked.line.ms as number))
})

test('work on the answer of another thread counts for the request that asked for it', async () => {
  const { line } = await told((monitor) => {
    const begun = presentWork.begin(describe, 'asker', () => {
      void presentWork.answer(Promise.resolve()).then(() => stall(150))
      monitor.on(describe, 'thread')
    })
    assert.equal(begun.subject, 'asker')
  })
  assert.deepEqual(line.for, { id: 'asker' })
})

test('a stall without noted work is reported too', async () => {
  const { line } = await told(() => stall(150))
  assert.equal(line.for, undefined)
  assert.ok((line.ms as number) > 50)
})
