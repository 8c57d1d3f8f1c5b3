/**
 * Measures the service against the limits of the machine it runs on. See `--help`.
 * Service, load generator and sink are three processes that share the same CPUs; the yardstick is measured in the same run.
 */
import os from 'node:os'
import { parseArgs } from 'node:util'
import { type AcceptFigure, type DeliveryRound, measureAccepting, measureDelivery } from './measure.ts'
import { canPin, PinnedProcess } from './pinned-process.ts'
import { currentCommit, describeMachine, keepRun, printRun } from './report.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const HELP = `Usage: node bench/run.ts [options]

Measures accepted/s, delivered/s, CPU and latency of the service against a sink of its own.

  --messages N       messages in each end-to-end round (5000)
  --rounds N         end-to-end rounds after one warm-up round (5)
  --connections N    connections that offer the messages, end to end (20)
  --accept-ms N      milliseconds of accepting at each number of connections (3000)
  --cpus LIST        CPUs shared by service, load and sink, as taskset writes them; "all" pins nothing (0,1)
  --set NAME=VALUE   a POSTROAD_... setting of the service; may be given several times
  --directory DIR    where the temporary databases go: the disk that is measured (the system's temporary directory)
  --skip-accepting   end to end only
  --quick            few messages, one round: shows that the benchmark works, keeps no result
  --no-keep          prints only
`

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '20' },
    'accept-ms': { type: 'string', default: '3000' },
    cpus: { type: 'string', default: '0,1' },
    set: { type: 'string', multiple: true, default: [] },
    directory: { type: 'string', default: os.tmpdir() },
    'skip-accepting': { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    'no-keep': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const messages = values.quick ? 300 : Number(values.messages)
const rounds = values.quick ? 1 : Number(values.rounds)
const acceptMs = values.quick ? 300 : Number(values['accept-ms'])
const connections = Number(values.connections)
const cpus = canPin && os.availableParallelism() > 1 ? values.cpus : 'all'
const firstCpu = /^\d+/.exec(cpus)?.[0] ?? 'all'
const settings = Object.fromEntries(
  values.set.map((pair): [string, string] => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ]),
)

const load = new PinnedProcess(cpus, new URL('./load-process.ts', import.meta.url))
const sink = new PinnedProcess(cpus, new URL('./sink-process.ts', import.meta.url))
const limits = new PinnedProcess(firstCpu, new URL('./limits-process.ts', import.meta.url))
let running: ServiceProcess | undefined

async function startFresh(sinkPort: number): Promise<ServiceProcess> {
  const relay = { POSTROAD_DELIVERY: `smtp://127.0.0.1:${sinkPort}?tls=off` }
  running = await startServiceProcess({ parent: values.directory, cpus, settings: { ...relay, ...settings } })
  return running
}

try {
  const { port } = await sink.hear()
  const accepting: AcceptFigure[] = []
  if (!values['skip-accepting']) {
    const service = await startFresh(port!)
    await measureAccepting(load, service, 10, acceptMs / 2)
    for (const count of [1, 10, 50, 200])
      accepting.push(await measureAccepting(load, service, count, acceptMs))
    await service.stop()
  }
  const service = await startFresh(port!)
  const parts = { load, sink, limits, service }
  await measureDelivery(parts, Math.min(messages, 1000), connections)
  const measured: DeliveryRound[] = []
  for (let round = 0; round < rounds; round++)
    measured.push(await measureDelivery(parts, messages, connections))
  const run = {
    at: new Date().toISOString(),
    commit: currentCommit(),
    node: `Node ${process.version}`,
    machine: describeMachine(),
    cpus,
    settings,
    accepting,
    connections,
    rounds: measured,
    peakMemory: service.peakMemory(),
  }
  await service.stop()
  printRun(run)
  if (!values.quick && !values['no-keep']) process.stdout.write(`kept as ${keepRun(run)}\n`)
} finally {
  await running?.stop()
  await Promise.all([load, sink, limits].map((part) => part.stop()))
}
