/** Kills the service again and again under load and reports what was lost (must be nothing) and what came twice, by cause. See `--help`. */
import { KILL_POINTS, type KillPoint, runKills } from '../test/crash/kill-nine.ts'
import { count, parseOptions, parseSettings } from './options.ts'

const HELP = `Usage: node bench/crash.ts [options]

Starts the service, loads it from both dialects, kills it with SIGKILL at a chosen point, starts it again on the same directory, and so
on; in the end counts lost and doubled messages.

  --kills N        how many (50), the points in turn
  --point NAME     only this point; may be given several times (${KILL_POINTS.join(', ')})
  --workers N      senders at once (8)
  --set NAME=VALUE a POSTROAD_... setting of the service; may be given several times
  --json           the report as JSON
`

const values = parseOptions(HELP, {
  kills: { type: 'string', default: '50' },
  point: { type: 'string', multiple: true, default: [] },
  workers: { type: 'string', default: '8' },
  set: { type: 'string', multiple: true, default: [] },
  json: { type: 'boolean', default: false },
})
const known = (name: string): name is KillPoint => (KILL_POINTS as readonly string[]).includes(name)
const wrong = values.point.find((name) => !known(name))
if (wrong !== undefined) {
  process.stderr.write(`--point ${wrong}: one of ${KILL_POINTS.join(', ')} is needed\n`)
  process.exit(2)
}
const inTurn = values.point.length > 0 ? values.point.filter(known) : [...KILL_POINTS]
const kills = count('kills', values.kills)
const points = Array.from({ length: kills }, (_, index) => inTurn[index % inTurn.length]!)
const startedAt = Date.now()
const report = await runKills({
  points,
  workers: count('workers', values.workers),
  settings: parseSettings(values.set),
  onKill: (kill, point) =>
    process.stderr.isTTY && process.stderr.write(`\rkill ${kill} of ${points.length}: ${point}            `),
})
process.stderr.write('\n')
const by = (cause: string) => report.doubled.filter((double) => double.cause === cause).length
const oldest = Math.max(
  0,
  ...report.doubled.filter(({ cause }) => cause === 'answered').map(({ age }) => age),
)
const unexplained = by('unexplained')
const bad = report.lost.length + unexplained + report.storedWrongly.length + report.surprises.length
if (values.json) {
  process.stdout.write(`${JSON.stringify(report, null, 1)}\n`)
} else {
  const lines: [string, string][] = [
    ['kills', KILL_POINTS.map((point) => `${point} ${report.kills[point]}`).join(', ')],
    ['accepted (200 seen)', `${report.accepted.json} JSON, ${report.accepted.form} form`],
    [
      'without an answer',
      `${report.repeated} JSON (repeated with their key), ${report.unanswered} form (left)`,
    ],
    ['arrived', String(report.arrived)],
    ['lost', `${report.lost.length} ${report.lost.slice(0, 10).join(' ')}`],
    ['doubled, killed between final dot and 250', String(by('dot'))],
    [
      'doubled, killed between 250 and its record',
      `${by('answered')}, at most ${oldest} ms after the final dot`,
    ],
    ['doubled without such a reason', String(unexplained)],
    [
      'stored twice, or accepted and not stored',
      `${report.storedWrongly.length} ${report.storedWrongly.length > 0 ? JSON.stringify(report.storedWrongly.slice(0, 3)) : ''}`,
    ],
    ['unexpected answers', `${report.surprises.length} ${report.surprises.slice(0, 3).join(' | ')}`],
    ['took', `${((Date.now() - startedAt) / 1000).toFixed(0)} s`],
  ]
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(44)} ${value}\n`)
}
process.exitCode = bad > 0 ? 1 : 0
