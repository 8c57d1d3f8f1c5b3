/**
 * Measures the service against the limits of the machine it runs on. See `--help`.
 * Service, load generator and sink are processes that share the same CPUs; the yardstick is measured in the same run.
 */

import { count, oneOf, orRefuse, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import {
  type AcceptFigure,
  type DeliveryRound,
  type LatencyFigure,
  measureAccepting,
  measureAcceptingAtHalf,
  measureDelivery,
  measureIdleLatency,
  measureLatencyAt,
} from './measure.ts'
import { USUAL_SIZE } from './message.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { printRun, USUAL_CONNECTIONS } from './report.ts'
import { keepRun } from './results.ts'
import { Rig, ROUTES } from './rig.ts'
import { parseBehaviour } from './sink/behaviour.ts'

const HELP = `Usage: node bench/run.ts [options]

Measures accepted/s, delivered/s, CPU and latency of the service against a sink of its own.

  --messages N       messages in each end-to-end round (5000)
  --rounds N         end-to-end rounds after one warm-up round (5)
  --connections N    connections that offer the messages, end to end (${USUAL_CONNECTIONS})
  --accept-ms N      milliseconds of accepting at each number of connections, and of each latency measurement (3000)
  --size N           octets of a message (${USUAL_SIZE})
  --attachment       what is above ${USUAL_SIZE} octets is a file like a PDF, another one in every message
  --domains N        recipients spread over so many domains (1)
  --route NAME       relay: everything to the sink; direct: by MX look-ups (relay)
  --sink LIST        behaviour of the sink, e.g. link=20,latency=5,4xx@rcpt=0.02,cut@dot=0.001,dribble=5,starttls,connections=20,messages=100
                     (with faults messages arrive later or never: rounds that demand exactly one of each fail)
  --nodes N          delivery nodes beside one for the API; 0: one process does both (0)
  --skip-accepting   end to end only
  --skip-latency     no latency of an idle and of a half-loaded service
  --quick            few messages, one round: shows that the benchmark works, keeps no result
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  messages: { type: 'string', default: '5000' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: String(USUAL_CONNECTIONS) },
  'accept-ms': { type: 'string', default: '3000' },
  size: { type: 'string', default: String(USUAL_SIZE) },
  attachment: { type: 'boolean', default: false },
  domains: { type: 'string', default: '1' },
  route: { type: 'string', default: 'relay' },
  sink: { type: 'string', default: '' },
  nodes: { type: 'string', default: '0' },
  'skip-accepting': { type: 'boolean', default: false },
  'skip-latency': { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const route = oneOf('route', values.route, ROUTES)
const messages = values.quick ? 300 : count('messages', values.messages)
const rounds = values.quick ? 1 : count('rounds', values.rounds)
const acceptMs = values.quick ? 300 : count('accept-ms', values['accept-ms'])
const connections = count('connections', values.connections)
const nodes = count('nodes', values.nodes, 0)
const place = placeOf(values)
const shape = {
  size: count('size', values.size, 1500),
  attachment: values.attachment,
  domains: count('domains', values.domains),
}

await using rig = await Rig.start({
  ...place,
  route,
  shape,
  behaviour: orRefuse(() => parseBehaviour(values.sink)),
  nodes,
})

const accepting: AcceptFigure[] = []
let acceptingAtHalf: AcceptFigure | undefined
if (!values['skip-accepting']) {
  const parts = await rig.serve()
  await measureAccepting(parts, { connections: 10, milliseconds: acceptMs / 2 })
  for (const each of [1, 10, 50, 200])
    accepting.push(await measureAccepting(parts, { connections: each, milliseconds: acceptMs }))
  acceptingAtHalf = await measureAcceptingAtHalf(parts, accepting, acceptMs)
  await rig.stop(parts.service)
}
const parts = await rig.serve()
await measureDelivery(parts, Math.min(messages, 1000), connections)
const measured: DeliveryRound[] = []
for (let round = 0; round < rounds; round++)
  measured.push(await measureDelivery(parts, messages, connections))
const latencies: LatencyFigure[] = []
if (!values['skip-latency']) {
  const half = Math.max(...measured.map(({ delivered }) => delivered)) / 2
  latencies.push(await measureIdleLatency(parts, values.quick ? 10 : 100))
  latencies.push(await measureLatencyAt(parts, half, acceptMs))
}
const run = {
  ...provenance(),
  cpus: place.cpus,
  database: rig.database.name,
  nodes,
  route,
  shape,
  sink: values.sink,
  settings: place.settings,
  accepting,
  ...(acceptingAtHalf ? { acceptingAtHalf } : {}),
  connections,
  rounds: measured,
  latencies,
  peakMemory: parts.service.peakMemory(),
}
await rig.stop(parts.service)
printRun(run)
if (!values.quick && !values['no-keep']) process.stdout.write(`kept as ${keepRun(run)}\n`)
