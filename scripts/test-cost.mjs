// Loaded into each test file by scripts/test-process.mjs: adds a line to the file that POSTROAD_TEST_COSTS names, with the processor time that
// the file and the processes that it started have taken, and the time by the clock: SECONDS SECONDS FILE.
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './installed.mjs'

const { POSTROAD_TEST_COSTS: costs } = process.env

if (costs && process.platform === 'linux' && process.argv[1]?.endsWith('.test.ts')) {
  const { treeCpu } = await import('../bench/service/process-usage.ts')
  process.on('exit', () => {
    const seconds = (treeCpu(process.pid) / 1_000).toFixed(1)
    appendFileSync(costs, `${seconds} ${process.uptime().toFixed(0)} ${relative(root, process.argv[1])}\n`)
  })
}
