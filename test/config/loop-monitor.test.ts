/** Stalls of the main thread are counted, and told with the name of what was being worked on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
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

test('what took the longest is named, not what came before or after it', async () => {
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

test('a stall that nothing was noted for is told all the same', async () => {
  const { line } = await told(() => stall(150))
  assert.equal(line.for, undefined)
  assert.ok((line.ms as number) > 50)
})
