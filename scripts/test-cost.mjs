// Loaded into each test file by scripts/test-process.mjs: adds a line to the file that POSTROAD_TEST_COSTS names, with the processor time that
// the file and the processes that it started have taken, and the time by the clock: SECONDS SECONDS FILE.
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './installed.mjs'

const { POSTROAD_TEST_COSTS: costs } = process.env
/** Ticks of the kernel, by which /proc counts. */
const TICKS = 100

if (costs && process.platform === 'linux' && process.argv[1]?.endsWith('.test.ts')) {
  process.on('exit', () => {
    // proc(5): utime, stime, cutime and cstime are fields 14 to 17; the name in parentheses may contain spaces.
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    const file = relative(root, process.argv[1])
    appendFileSync(costs, `${(ticks / TICKS).toFixed(1)} ${process.uptime().toFixed(0)} ${file}\n`)
  })
}
