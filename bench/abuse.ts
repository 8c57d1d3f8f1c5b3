/** Measures how one company, which posts a small mail every 100 ms, is affected by another one that attacks the service. See `--help`. */

import { setTimeout as pause } from 'node:timers/promises'
import { count, oneOf, orRefuse, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { forgetPeak, processMemory } from '../harness/service/process-memory.ts'
import { longestStall, readStalls, stallsOver } from '../harness/service/stalls.ts'
import { parseSize } from '../src/config/parse/quantity.ts'
import { ATTACKS, ATTACKS_ON_TLS, type Attack } from './abuse/attacks.ts'
import type { AbuseOrder, AbuseReport } from './abuse/order.ts'
import { type AbuseRun, type AttackFigure, latencyFigures, shownStatuses, wrongWith } from './abuse/report.ts'
import { openScene, type Scene } from './abuse/scene.ts'
import { takeNumbers } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { PinnedProcess, pinning } from './service/pinned-process.ts'
import type { SinkReport } from './sink/order.ts'

const HELP = `Usage: node bench/abuse.ts [options]

One company sends the worst that is known from many connections, one attack after the other; another posts a small mail every 100 ms.
Tells the other one's latency and answers, the memory of the process, how often its main thread was away for more than 50 ms of its
processor time and for how long at most, and whether the other one's
mail arrived once each. Fails when one of them is not as promised.

  --attack NAME      only this one; may be given several times (${[...ATTACKS, ...ATTACKS_ON_TLS].map(({ name }) => name).join(', ')})
  --together         all of them at once instead of one after the other, those on TLS apart
  --kill             in the end once more all at once, and in the middle of it kill -9: how long until the next start is ready
  --seconds N        of each attack (10)
  --connections N    of the abuser (50); some attacks have a number of their own
  --memory SIZE      POSTROAD_MEMORY of the service, to which it is held (600MB)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  attack: { type: 'string', multiple: true, default: [] },
  together: { type: 'boolean', default: false },
  kill: { type: 'boolean', default: false },
  seconds: { type: 'string', default: '10' },
  connections: { type: 'string', default: '50' },
  memory: { type: 'string', default: '600MB' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const known = [...ATTACKS, ...ATTACKS_ON_TLS]
const names = known.map(({ name }) => name)
const chosen = values.attack.length > 0 ? values.attack.map((name) => oneOf('attack', name, names)) : names
/** The names of attacks that are made at the same time. */
function turnsOf(attacks: readonly Attack[]): string[][] {
  const ours = attacks.filter(({ name }) => chosen.includes(name)).map(({ name }) => name)
  if (values.together) return ours.length > 0 ? [ours] : []
  return ours.map((name) => [name])
}
const turns = { plain: turnsOf(ATTACKS), secure: turnsOf(ATTACKS_ON_TLS) }
const all = [...turns.plain, ...turns.secure]
const seconds = count('seconds', values.seconds)
const connections = count('connections', values.connections)
const place = placeOf(values)
const { cpus } = place
const memory = orRefuse(() => parseSize(values.memory))
const settings = { POSTROAD_MEMORY: values.memory, ...place.settings }

/** Milliseconds within which accepted mail must arrive after the abuse has ended. */
const PATIENCE = 60_000
/** Ms that the next start may take after a kill. */
const READY_WITHIN = 3_000
/** Mails of the other company in one turn, and those before the first of a service. */
const MAILS = (seconds + 1) * 10
const WARM_UP = 20

await using rig = await Rig.start({ ...place, settings })
const abuser = new PinnedProcess(cpus, new URL('./abuse/abuse-process.ts', import.meta.url))
const expected = all.length * MAILS + 2 * WARM_UP
const first = takeNumbers(expected)
let next = first
await rig.sink.ask({ first, count: expected })

const figures: AttackFigure[] = []
const accepted: number[] = []
const logged: string[] = []
let idle = 0
let restart: number | undefined
const width = Math.max(...all.map((turn) => turn.join('+').length), 10)
console.log(
  `${'attack'.padEnd(width)}   p50    p99  worst ms   peak MB  stalls  CPU ms  the other one's answers | the abuser's`,
)
for (const secure of [false, true]) {
  const ours = secure ? turns.secure : turns.plain
  if (ours.length === 0) continue
  const scene = await openScene(rig, { secure })
  // The first requests are slow without any abuse.
  accepted.push(...(await scene.victim.post(next, WARM_UP)).accepted)
  next += WARM_UP
  if (idle === 0) idle = processMemory(scene.service.pids[0]!).resident
  for (const turn of ours) figures.push(await attacked(scene, turn))
  if (!secure && values.kill) restart = await killed(scene)
  await arrivals()
  logged.push(...scene.service.logs()[0]!)
  await scene[Symbol.asyncDispose]()
}
await abuser.stop()

/** Measures the effect on the other company of these attacks, made at the same time. */
async function attacked({ service, url, target, victim }: Scene, attacks: string[]): Promise<AttackFigure> {
  const pid = service.pids[0]!
  forgetPeak(pid)
  const before = await readStalls(url)
  const order: AbuseOrder = { target, attacks, connections, milliseconds: seconds * 1_000 }
  const abused = abuser.report<AbuseReport>(order)
  const posted = await victim.post(next, seconds * 10)
  next += MAILS
  const report = await abused
  accepted.push(...posted.accepted)
  const after = await readStalls(url)
  const abuserStatuses: Record<string, number> = {}
  for (const each of Object.values(report.statuses))
    for (const [status, times] of Object.entries(each))
      abuserStatuses[status] = (abuserStatuses[status] ?? 0) + times
  const figure: AttackFigure = {
    attack: attacks.join('+'),
    what: values.together ? 'all at once' : known.find(({ name }) => name === attacks[0])!.what,
    statuses: posted.statuses,
    ...latencyFigures(posted.latencies),
    peak: processMemory(pid).peak,
    stalls: stallsOver(50, before, after),
    longest: longestStall(before, after),
    abuser: abuserStatuses,
    octets: report.octets,
  }
  const wrong = wrongWith(figure, memory)
  console.log(
    `${figure.attack.padEnd(width)} ${[figure.p50, figure.p99, figure.worst].map((ms) => ms.toFixed(0).padStart(6)).join(' ')} ` +
      `${(figure.peak / 1048576).toFixed(0).padStart(10)} ${String(figure.stalls).padStart(7)} ${figure.longest.toFixed(0).padStart(7)}  ` +
      `${shownStatuses(figure.statuses)} | ${shownStatuses(figure.abuser)}${wrong.length > 0 ? `   WRONG: ${wrong.join(', ')}` : ''}`,
  )
  return figure
}

/** Milliseconds from a kill of the service during all attacks at once until the next start reports that it is ready. */
async function killed({ service, target }: Scene): Promise<number> {
  const milliseconds = Math.max(4, seconds) * 1_000
  const attacks = ATTACKS.map(({ name }) => name)
  const abused = abuser.report<AbuseReport>({ target, attacks, connections, milliseconds })
  await pause(milliseconds / 2)
  const at = performance.now()
  process.kill(service.pids[0]!, 'SIGKILL')
  const again = await service.installation.serve({ prefix: pinning(cpus) })
  while (!(await fetch(`${again.url}/ready`)).ok) await pause(20)
  const took = performance.now() - at
  await abused
  return took
}

/** Resolves when all mail accepted so far has arrived, or the time for that is over. */
async function arrivals(): Promise<SinkReport> {
  for (const giveUp = performance.now() + PATIENCE; ; await pause(200)) {
    const arrived = await rig.sink.report<SinkReport>({ report: true })
    if (arrived.arrived >= accepted.length || performance.now() > giveUp) return arrived
  }
}

const arrived = await arrivals()
const lost = accepted.filter((number) => arrived.arrivedAt[number - first] === 0).length
const passed =
  lost === 0 &&
  arrived.doubled === 0 &&
  figures.every((figure) => wrongWith(figure, memory).length === 0) &&
  (restart ?? 0) <= READY_WITHIN
console.log(
  `\n${accepted.length} mails of the other company accepted, ${accepted.length - lost} arrived, ${lost} lost, ${arrived.doubled} doubled; ` +
    `memory ${(idle / 1048576).toFixed(0)} MB idle, ${(Math.max(...figures.map(({ peak }) => peak)) / 1048576).toFixed(0)} MB at most`,
)
if (restart !== undefined)
  console.log(`killed in the midst of all attacks at once: ready again after ${restart.toFixed(0)} ms`)
for (const line of logged) {
  // Processor time, because the attackers share the processors: by the clock, the main thread is away for longer.
  const { cpu = 0 } = line.includes('stalled') ? (JSON.parse(line) as { cpu?: number }) : {}
  if (cpu > 50) console.log(line)
}
console.log(passed ? 'As promised.' : 'FAILED')
if (!values['no-keep']) {
  const run: AbuseRun = {
    ...provenance(),
    cpus,
    database: rig.database.name,
    connections,
    seconds,
    settings,
    idle,
    attacks: figures,
    accepted: accepted.length,
    arrived: arrived.arrived,
    lost,
    doubled: arrived.doubled,
    ...(restart === undefined ? {} : { restart }),
    passed,
  }
  console.log(`kept as ${keepResult('abuse', run)}`)
}
process.exitCode = passed ? 0 : 1
