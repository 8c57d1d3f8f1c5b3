/** One company sends the worst there is, another posts a small mail every 100 ms: what becomes of the other one? See `--help`. */

import { setTimeout as pause } from 'node:timers/promises'
import { count, oneOf, orRefuse, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { Insiders } from '../harness/service/insiders.ts'
import { forgetPeak, processMemory } from '../harness/service/process-memory.ts'
import { longestStall, readStalls, stallsOver } from '../harness/service/stalls.ts'
import { parseSize } from '../src/config/parse.ts'
import { ATTACKS } from './abuse/attacks.ts'
import type { AbuseOrder, AbuseReport, Target } from './abuse/order.ts'
import { type AbuseRun, type AttackFigure, latencyFigures, shownStatuses, wrongWith } from './abuse/report.ts'
import { Victim } from './abuse/victim.ts'
import { takeNumbers } from './measure.ts'
import { USUAL_SHAPE } from './message.ts'
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

  --attack NAME      only this one; may be given several times (${ATTACKS.map(({ name }) => name).join(', ')})
  --together         all of them at once instead of one after the other
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
const all = ATTACKS.map(({ name }) => name)
const chosen = values.attack.length > 0 ? values.attack.map((name) => oneOf('attack', name, all)) : all
const turns = values.together ? [chosen] : chosen.map((name) => [name])
const seconds = count('seconds', values.seconds)
const connections = count('connections', values.connections)
const place = placeOf(values)
const { cpus } = place
const memory = orRefuse(() => parseSize(values.memory))
const settings = { POSTROAD_MEMORY: values.memory, ...place.settings }

/** Ms that what was accepted has to arrive, when the abuse is over. */
const PATIENCE = 60_000
/** Ms that the next start may take after a kill. */
const READY_WITHIN = 3_000

await using rig = await Rig.start({
  ...place,
  settings: {
    ...{ POSTROAD_METRICS_LISTEN: 'same', POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0' },
    ...settings,
  },
})
const abuser = new PinnedProcess(cpus, new URL('./abuse/abuse-process.ts', import.meta.url))
let abuserCompany = ''
const domain = 'abuse.test'
const { service } = await rig.serve({
  prepare: async (installation) => {
    abuserCompany = (await installation.addTenant(domain)).companyId
  },
})
const { port, pids, from } = service
const pid = pids[0]!
const victim = new Victim(port, { host: `127.0.0.1:${port}`, token: service.token, from, shape: USUAL_SHAPE })
const mails = (seconds + 1) * 10
const first = takeNumbers((turns.length + 1) * mails)
await rig.sink.ask({ first, count: (turns.length + 1) * mails })

const url = `http://127.0.0.1:${port}`
await using insiders = await Insiders.of(await service.installation.databaseUrl(), abuserCompany)
const target: Target = {
  ...{ port, submissionPort: service.submissionPort!, domain, companyId: abuserCompany },
  ...{ token: await insiders.addKey(), viewer: await insiders.signIn('viewer'), email: '' },
}
target.email = await sendLarge(target)

/** The id of an email with 24 MB of HTML, which is still there when it has been sent. */
async function sendLarge({ token }: Target): Promise<string> {
  const html = '<p>A line of <a href="https://example.com/?a=b&amp;c=d">HTML</a>.</p>\n'.repeat(360_000)
  const mail = { from: `a@${domain}`, to: 'abuse@sink.test', subject: 'abuse', text: 't', html }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/emails`, { method: 'POST', headers, body: JSON.stringify(mail) })
  return ((await answer.json()) as { id: string }).id
}

// What is slow only for the first time is nobody's abuse.
await victim.post(first, 20)
const idle = processMemory(pid).resident
const accepted: number[] = []
const figures: AttackFigure[] = []
const names = Math.max(...turns.map((names) => names.join('+').length), 10)
console.log(
  `${'attack'.padEnd(names)}   p50    p99  worst ms   peak MB  stalls  CPU ms  the other one's answers | the abuser's`,
)
for (const [turn, names_] of turns.entries()) {
  forgetPeak(pid)
  const before = await readStalls(url)
  const order: AbuseOrder = {
    target,
    attacks: names_,
    connections,
    milliseconds: seconds * 1_000,
  }
  const abused = abuser.report<AbuseReport>(order)
  const posted = await victim.post(first + (turn + 1) * mails, seconds * 10)
  const report = await abused
  accepted.push(...posted.accepted)
  const after = await readStalls(url)
  const abuserStatuses: Record<string, number> = {}
  for (const each of Object.values(report.statuses))
    for (const [status, times] of Object.entries(each))
      abuserStatuses[status] = (abuserStatuses[status] ?? 0) + times
  const figure: AttackFigure = {
    attack: names_.join('+'),
    what: values.together ? 'all at once' : ATTACKS.find(({ name }) => name === names_[0])!.what,
    statuses: posted.statuses,
    ...latencyFigures(posted.latencies),
    peak: processMemory(pid).peak,
    stalls: stallsOver(50, before, after),
    longest: longestStall(before, after),
    abuser: abuserStatuses,
    octets: report.octets,
  }
  figures.push(figure)
  const wrong = wrongWith(figure, memory)
  console.log(
    `${figure.attack.padEnd(names)} ${[figure.p50, figure.p99, figure.worst].map((ms) => ms.toFixed(0).padStart(6)).join(' ')} ` +
      `${(figure.peak / 1048576).toFixed(0).padStart(10)} ${String(figure.stalls).padStart(7)} ${figure.longest.toFixed(0).padStart(7)}  ` +
      `${shownStatuses(figure.statuses)} | ${shownStatuses(figure.abuser)}${wrong.length > 0 ? `   WRONG: ${wrong.join(', ')}` : ''}`,
  )
}
/** Ms from the death of the service in the midst of everything at once until the next one says that it is ready. */
async function killed(): Promise<number> {
  const milliseconds = Math.max(4, seconds) * 1_000
  const abused = abuser.report<AbuseReport>({
    target,
    attacks: all,
    connections,
    milliseconds,
  })
  await pause(milliseconds / 2)
  const at = performance.now()
  process.kill(pid, 'SIGKILL')
  const again = await service.installation.serve({ prefix: pinning(cpus) })
  while (!(await fetch(`${again.url}/ready`)).ok) await pause(20)
  const took = performance.now() - at
  await abused
  return took
}

const restart = values.kill ? await killed() : undefined
victim.close()
await abuser.stop()

const expected = 20 + accepted.length
let arrived: SinkReport
for (const giveUp = performance.now() + PATIENCE; ; await pause(200)) {
  arrived = await rig.sink.report<SinkReport>({ report: true })
  if (arrived.arrived >= expected || performance.now() > giveUp) break
}
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
for (const line of service.logs()[0]!) {
  // By the clock it is away for longer where the abusers have the processors.
  const { cpu = 0 } = line.includes('stalled') ? (JSON.parse(line) as { cpu?: number }) : {}
  if (cpu > 50) console.log(line)
}
console.log(passed ? 'As promised.' : 'FAILED')
await rig.stop(service)
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
