/**
 * Measures how many messages a second are accepted over SMTP submission, in turns with the JSON dialect on the same service. See `--help`.
 */
import os from 'node:os'
import { type AcceptFigure, measureAccepting } from './measure.ts'
import { USUAL_SIZE } from './message.ts'
import { count, database, parseOptions, parseSettings, usableCpus } from './options.ts'
import { Rig } from './rig.ts'
import { median } from './statistics.ts'

const HELP = `Usage: node bench/submission.ts [options]

Measures messages accepted a second over SMTP, logged in once a session and pipelined, without TLS; and over HTTP in turns with them.

  --accept-ms N      milliseconds of accepting in each round (3000)
  --rounds N         rounds of each after one warm-up round (5)
  --size N           octets of a message (${USUAL_SIZE})
  --database NAME    sqlite, postgres (a cluster of our own), or a postgres:// URL of a server where databases may be created (sqlite)
  --cpus LIST        CPUs shared by service, load and database, as taskset writes them; "all" pins nothing (0,1)
  --set NAME=VALUE   a POSTROAD_... setting of the service; may be given several times
  --directory DIR    where the temporary databases go (the system's temporary directory)
`

const values = parseOptions(HELP, {
  'accept-ms': { type: 'string', default: '3000' },
  rounds: { type: 'string', default: '5' },
  size: { type: 'string', default: String(USUAL_SIZE) },
  database: { type: 'string', default: 'sqlite' },
  cpus: { type: 'string', default: '0,1' },
  set: { type: 'string', multiple: true, default: [] },
  directory: { type: 'string', default: os.tmpdir() },
})
const milliseconds = count('accept-ms', values['accept-ms'])
const rounds = count('rounds', values.rounds)

await using rig = await Rig.start({
  cpus: usableCpus(values.cpus),
  database: database(values.database),
  route: 'relay',
  shape: { size: count('size', values.size, 1500), attachment: false, domains: 1 },
  parent: values.directory,
  nodes: 0,
  settings: { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:0', ...parseSettings(values.set) },
})
const parts = await rig.serve()
const PROTOCOLS = ['smtp', 'http'] as const
for (const protocol of PROTOCOLS) {
  await measureAccepting(parts, { connections: 10, milliseconds: milliseconds / 2, protocol })
}
for (const connections of [1, 10, 50, 200]) {
  const figures: Record<(typeof PROTOCOLS)[number], AcceptFigure[]> = { smtp: [], http: [] }
  for (let round = 0; round < rounds; round++) {
    for (const protocol of PROTOCOLS) {
      figures[protocol].push(await measureAccepting(parts, { connections, milliseconds, protocol }))
    }
  }
  for (const protocol of PROTOCOLS) {
    const of = (pick: (figure: AcceptFigure) => number) => median(figures[protocol].map(pick))
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
