/**
 * Measures how many messages a second are accepted over SMTP submission, in turns with the JSON dialect on the same service. See `--help`.
 */
import { count, parseOptions } from '../harness/options.ts'
import { type AcceptFigure, measureAccepting } from './measure.ts'
import { USUAL_SIZE } from './message.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import { Rig } from './rig.ts'
import { median } from './statistics.ts'
import { inTurns } from './turns.ts'

const HELP = `Usage: node bench/submission.ts [options]

Measures messages accepted a second over SMTP, logged in once a session and pipelined, without TLS; and over HTTP in turns with them.

  --accept-ms N      milliseconds of accepting in each round (3000)
  --rounds N         rounds of each after one warm-up round (5)
  --size N           octets of a message (${USUAL_SIZE})
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  'accept-ms': { type: 'string', default: '3000' },
  rounds: { type: 'string', default: '5' },
  size: { type: 'string', default: String(USUAL_SIZE) },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const milliseconds = count('accept-ms', values['accept-ms'])
const rounds = count('rounds', values.rounds)

const place = placeOf(values)

await using rig = await Rig.start({
  ...place,
  route: 'relay',
  shape: { size: count('size', values.size, 1500), attachment: false, domains: 1 },
  nodes: 0,
  settings: { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0', ...place.settings },
})
const parts = await rig.serve()
const PROTOCOLS = ['smtp', 'http'] as const
for (const protocol of PROTOCOLS) {
  await measureAccepting(parts, { connections: 10, milliseconds: milliseconds / 2, protocol })
}
for (const connections of [1, 10, 50, 200]) {
  const measured = await inTurns(PROTOCOLS, rounds, (protocol) =>
    measureAccepting(parts, { connections, milliseconds, protocol }),
  )
  for (const [index, protocol] of PROTOCOLS.entries()) {
    const of = (pick: (figure: AcceptFigure) => number) => median(measured[index]!.map(pick))
    process.stdout.write(
      `${protocol.padEnd(5)} ${String(connections).padStart(4)} connections  ` +
        `${of(({ accepted }) => accepted)
          .toFixed(0)
          .padStart(6)}/s  p50 ${of(({ p50 }) => p50).toFixed(2)} ms  ` +
        `p99 ${of(({ p99 }) => p99).toFixed(2)} ms  CPU ${of(({ cpu }) => cpu).toFixed(3)} ms a message\n`,
    )
  }
}
await rig.stop(parts.service)
