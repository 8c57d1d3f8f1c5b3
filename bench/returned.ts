/** Measures how much returned bounces slow delivery down. See `--help`. */
import { setTimeout as pause } from 'node:timers/promises'
import { count, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { Seal } from '../src/accounts/seal.ts'
import { loadSettings } from '../src/config/load.ts'
import { RETURN_PATHS, ReturnPathKey, returnPath } from '../src/mail/return-path/return-path.ts'
import { openStore } from '../src/store/open.ts'
import type { LoadOrder, LoadReport, ReturnedRecipient } from './load/order.ts'
import { type DeliveryRound, measureDelivery, type Parts, threadsSince } from './measure.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { USUAL_CONNECTIONS } from './report.ts'
import { keepResult } from './results.ts'
import { printReturned, type ReportsFigure, type ReturnedRun } from './returned/report.ts'
import { Rig } from './rig.ts'
import { PinnedProcess } from './service/pinned-process.ts'
import { median, percentile } from './statistics.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/returned.ts [options]

Bounces of earlier messages come back to the listener of a service at a steady rate, each to the return path of another message: first
alone, for what a bounce costs, then in turns beside full sending and not, for what they take from delivery. Beside full sending, processor
time is short, and the listener lets bounces wait.

  --rate N           bounces a second (500)
  --messages N       messages in each round (10000)
  --rounds N         rounds of each after one warm-up round (5)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  rate: { type: 'string', default: '500' },
  messages: { type: 'string', default: '10000' },
  rounds: { type: 'string', default: '5' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const rate = count('rate', values.rate)
const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const place = placeOf(values)

/** Known here, so that return paths can be made as the service makes them. */
const SECRET_KEY = '5f'.repeat(32)
const RETURN_PATH_HOST = 'bounces.bench.test'
/** Sessions over which the bounces arrive. */
const SESSIONS = 20
/** Milliseconds for which bounces arrive without any other mail. */
const ALONE = 10_000
/** A round with bounces may take this many times as long as one without. Bounces arrive until it is over. */
const LONGEST = 1.5
/** Ms before and after the messages of a round, in which it measures the machine and waits for the last records. */
const AROUND = 1_500
/** Emails of one page of the listing. */
const PAGE = 1_000

await using stack = new AsyncDisposableStack()
const settings = {
  POSTROAD_BOUNCE_LISTEN: 'smtp://127.0.0.1:0',
  POSTROAD_SECRET_KEY: SECRET_KEY,
  ...place.settings,
}
const rig = stack.use(await Rig.start({ ...place, settings }))
const parts = await rig.serve()
const reporters = new PinnedProcess(place.cpus, new URL('./load/load-process.ts', import.meta.url))
stack.defer(() => reporters.stop())

const { delivered: first } = await measureDelivery(parts, messages, USUAL_CONNECTIONS)
/** Ms for which bounces come during one round. */
const besideFor = (messages / first) * 1_000 * LONGEST + AROUND
const dueWithin = (milliseconds: number) => Math.ceil(milliseconds * (rate / 1_000))
const wanted = dueWithin(ALONE) + dueWithin(besideFor) * (rounds + 1)
for (let left = wanted - messages; left > 0; left -= messages)
  await measureDelivery(parts, messages, USUAL_CONNECTIONS)
const returned = await returnPaths(parts, wanted)
const alone = await comeAlone(parts)
await withReports(parts)

const [without, withAll] = await inTurns([false, true], rounds, async (reports) =>
  reports
    ? await withReports(parts)
    : { delivery: await measureDelivery(parts, messages, USUAL_CONNECTIONS) },
)
const run = runOf(without!, withAll as ReportsRound[])
printReturned(run)
if (!values['no-keep']) process.stdout.write(`kept as ${keepResult('returned', run)}\n`)

/** Makes `wanted` recipients that bounce, each of another message. */
async function returnPaths({ service }: Parts, wanted: number): Promise<ReturnedRecipient[]> {
  const { database } = loadSettings(
    { POSTROAD_DATABASE_URL: await service.installation.databaseUrl() },
    { envFile: null },
  )
  const key = new ReturnPathKey(new Seal(Buffer.from(SECRET_KEY, 'hex')).derive(RETURN_PATHS))
  const store = await openStore(database, { exclusive: false })
  const found: ReturnedRecipient[] = []
  try {
    for (let before: string | undefined; found.length < wanted; ) {
      const page = await store.listEmails({ limit: PAGE, ...(before !== undefined && { before }) })
      for (const { id: emailId, to } of page) {
        const path = returnPath(
          key,
          { emailId, recipient: null, domain: null, at: Date.now() },
          RETURN_PATH_HOST,
        )
        found.push({ path, address: to[0]! })
      }
      if (page.length < PAGE) break
      before = page.at(-1)!.id
    }
  } finally {
    await store.close()
  }
  if (found.length < wanted) throw new Error(`${wanted} emails are needed, and there are ${found.length}`)
  return found
}

/** Sends bounces at the rate for some time. */
async function comeBack(milliseconds: number): Promise<LoadReport> {
  const count = dueWithin(milliseconds)
  const order: LoadOrder = {
    port: parts.service.bouncePort!,
    target: { protocol: 'returned', recipients: returned.splice(0, count) },
    connections: SESSIONS,
    first: 0,
    count,
    rate,
    milliseconds,
  }
  const report = await reporters.report<LoadReport>(order)
  const { refused, refusals } = report
  if (refused > 0) throw new Error(`${refused} bounces were not accepted, first: ${refusals.join(' | ')}`)
  // Work that the last bounces cause must not count for the next round.
  await pause(AROUND)
  return report
}

/** The figures of the bounces that were accepted within a span of monotonic milliseconds. */
function figureOf(
  { startedAt, answeredAt, accepted, cpu }: LoadReport,
  { from, to }: { from: number; to: number },
): Omit<ReportsFigure, 'cpu'> {
  const latencies = [...answeredAt].flatMap((at, index) =>
    at >= from && at <= to ? [at - (startedAt + (index * 1_000) / rate)] : [],
  )
  return {
    accepted: (latencies.length * 1_000) / (to - from),
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    loadCpu: cpu / accepted,
  }
}

async function comeAlone({ service }: Parts): Promise<ReturnedRun['alone']> {
  const before = { cpu: service.cpu(), threads: service.threads() }
  const report = await comeBack(ALONE)
  const { startedAt, endedAt, accepted } = report
  return {
    ...figureOf(report, { from: startedAt, to: endedAt }),
    cpu: (service.cpu() - before.cpu) / accepted,
    threads: threadsSince(before.threads, service.threads(), accepted),
  }
}

/** `cpu`: CPU-ms of the service for all bounces and messages of the round. */
interface ReportsRound {
  delivery: DeliveryRound
  reports: Omit<ReportsFigure, 'cpu'>
  accepted: number
  cpu: number
}

async function withReports(parts: Parts): Promise<ReportsRound> {
  const before = parts.service.cpu()
  const reported = comeBack(besideFor)
  const delivery = await measureDelivery(parts, messages, USUAL_CONNECTIONS)
  const report = await reported
  return {
    delivery,
    reports: figureOf(report, delivery),
    accepted: report.accepted,
    cpu: parts.service.cpu() - before,
  }
}

function runOf(without: { delivery: DeliveryRound }[], withAll: ReportsRound[]): ReturnedRun {
  const pairs = without.map(({ delivery }, index) => {
    const round = withAll[index]!
    const cpu = (round.cpu - delivery.cpu * messages) / round.accepted
    return { without: delivery, with: round.delivery, reports: { ...round.reports, cpu } }
  })
  const of = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick))
  return {
    ...provenance(),
    cpus: place.cpus,
    database: rig.database.name,
    settings: place.settings,
    rate,
    messages,
    without: of((pair) => pair.without.delivered),
    with: of((pair) => pair.with.delivered),
    ratio: of((pair) => pair.with.delivered / pair.without.delivered),
    cpu: of((pair) => pair.without.cpu),
    alone,
    reports: {
      accepted: of(({ reports }) => reports.accepted),
      p50: of(({ reports }) => reports.p50),
      p99: of(({ reports }) => reports.p99),
      cpu: of(({ reports }) => reports.cpu),
      loadCpu: of(({ reports }) => reports.loadCpu),
    },
    rounds: pairs,
  }
}
