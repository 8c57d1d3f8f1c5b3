/** Measures the cost of mail that waits for sites which accept little or nothing, and its effect on other mail. See `--help`. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { count, parseOptions } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { processMemory } from '../harness/service/process-memory.ts'
import type { Tenant } from '../harness/service/tenant.ts'
import { SinkServer } from '../harness/sink/server.ts'
import { PLACE_HELP, PLACE_OPTIONS, placeOf, USUAL_HELP, USUAL_OPTIONS } from './options.ts'
import type { ParkedFigure, ParkedRun } from './parked-report.ts'
import { keepResult } from './results.ts'
import { Rig } from './rig.ts'
import { processCpu } from './service/process-usage.ts'
import { percentile } from './statistics.ts'

const HELP = `Usage: node bench/parked.ts [options]

One company has mail waiting for a dead site and for a provider that takes 60 messages a minute. With several sites every other one
hangs: it takes connections and never greets. Measures how long mail of another company to a healthy site takes from the request to its
arrival, before this mail comes, while it comes and is tried, and once it is parked; and the processor time and memory of the service.

  --messages N       waiting for each of the two (100000)
  --sites N          dead sites, and domains of the provider (1)
  --seconds N        of the measurement (30)
  --samples N        messages to the healthy site (200)
${PLACE_HELP}${USUAL_HELP}`

const values = parseOptions(HELP, {
  messages: { type: 'string', default: '100000' },
  sites: { type: 'string', default: '1' },
  seconds: { type: 'string', default: '30' },
  samples: { type: 'string', default: '200' },
  ...PLACE_OPTIONS,
  ...USUAL_OPTIONS,
})
const messages = count('messages', values.messages)
const sites = count('sites', values.sites)
const seconds = count('seconds', values.seconds)
const samples = count('samples', values.samples)
const place = placeOf(values)

/** The sink of the rig takes what the provider lets through; nobody listens at the dead address, and the hanging one never greets. */
const HOSTS = { provider: '127.0.0.1', healthy: '127.0.0.5', dead: '127.0.0.9', hanging: '127.0.0.13' }
/** Requests of a batch, as the JSON dialect allows them. */
const BATCH = 100
/** The longest time until all mail waits. */
const PARKING_MS = 600_000
const LOOK_MS = 5_000
/** Deliveries given back between two looks once everything is parked. */
const FEW_GIVEN_BACK = 100

const zone = {
  'mx.ok.test/A': [HOSTS.healthy],
  'ok.test/MX': ['10 mx.ok.test'],
  ...Object.fromEntries(
    Array.from({ length: sites }, (_, n) => [
      [`mx${n}.slow.test/A`, [HOSTS.provider]],
      [`slow${n}.test/MX`, [`10 mx${n}.slow.test`]],
      [`mx.dead${n}.test/A`, [n % 2 === 0 ? HOSTS.dead : HOSTS.hanging]],
      [`dead${n}.test/MX`, [`10 mx.dead${n}.test`]],
    ]).flat(),
  ),
}

await using rig = await Rig.start({ ...place, route: 'direct', zone })
/** Resolves at the final dot of the message to an address. */
const arrivals = new Map<string, () => void>()
const healthy = new SinkServer(
  { host: HOSTS.healthy, port: rig.sinkPort },
  {
    keeps: () => false,
    at(step, { recipients }) {
      if (step === 'dot') for (const address of recipients) arrivals.get(address)?.()
      return undefined
    },
  },
)
await healthy.listen()
const hanging = createServer(() => {})
await once(hanging.listen(rig.sinkPort, HOSTS.hanging), 'listening')
let other: Tenant | undefined
const { service } = await rig.serve({
  settings: { POSTROAD_METRICS_LISTEN: 'same', POSTROAD_SITES: 'sites.toml' },
  prepare: async (installation) => {
    const file = '[[site]]\nname = "Slow"\nmx = ["*.slow.test"]\nmessages_per_minute = 60\n'
    writeFileSync(join(installation.directory, 'sites.toml'), file)
    other = await installation.addTenant('other.test')
  },
})
const url = `http://127.0.0.1:${service.port}`
const [pid] = service.pids as [number]

async function post(path: string, token: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

async function metric(name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(page)?.[1] ?? 0)
}

const givenBack = () => metric('postroad_deliveries_given_back_total')

/** Resolves when nearly all mail waits: few deliveries are given back any more. */
async function parked(): Promise<void> {
  let before = Number.NEGATIVE_INFINITY
  for (const end = performance.now() + PARKING_MS; performance.now() < end; await pause(LOOK_MS)) {
    const now = await givenBack()
    if (now - before <= FEW_GIVEN_BACK) return
    before = now
  }
  console.log('Not everything is parked')
}

/** Messages to the healthy site, evenly spread; and what the service used meanwhile. */
async function measure(round: string): Promise<ParkedFigure> {
  const cpuBefore = processCpu(pid)
  const givenBackBefore = await givenBack()
  const begun = performance.now()
  const latencies: number[] = []
  for (let n = 0; n < samples; n++) {
    const to = `${round}${n}@ok.test`
    const sentAt = performance.now()
    const arrived = new Promise<void>((resolve) => arrivals.set(to, resolve))
    await post('/emails', other!.token, { from: 'a@other.test', to, subject: 'Hello', text: 'Hello' })
    await arrived
    latencies.push(performance.now() - sentAt)
    arrivals.delete(to)
    const next = begun + ((n + 1) * seconds * 1_000) / samples
    if (next > performance.now()) await pause(next - performance.now())
  }
  const lasted = (performance.now() - begun) / 1_000
  const cpu = (processCpu(pid) - cpuBefore) / lasted
  const back = ((await givenBack()) - givenBackBefore) / lasted
  const { resident } = processMemory(pid)
  return { cpu, givenBack: back, resident, p50: percentile(latencies, 50), p99: percentile(latencies, 99) }
}

function figureLine(what: string, { cpu, givenBack: back, resident, p50, p99 }: ParkedFigure): string {
  const [megabytes, share] = [resident / 1024 ** 2, cpu / 10]
  return `${what}: ${share.toFixed(1)} % of a processor, ${megabytes.toFixed(0)} MB, ${(back ?? 0).toFixed(1)} given back a second, healthy site ${p50.toFixed(0)} ms p50, ${p99.toFixed(0)} ms p99`
}

await measure('warm')
const idle = await measure('idle')
console.log(figureLine('Nothing waits', idle))
const coming = measure('coming')
for (let sent = 0; sent < messages; sent += BATCH) {
  for (const kind of ['dead', 'slow']) {
    const batch = Array.from({ length: Math.min(BATCH, messages - sent) }, (_, n) => ({
      from: service.from,
      to: `n${sent + n}@${kind}${(sent + n) % sites}.test`,
      subject: 'Hello',
      text: 'Hello',
    }))
    await post('/emails/batch', service.token, batch)
  }
}
const busy = await coming
console.log(figureLine(`${messages} for ${sites} dead sites and ${messages} for the slow one come`, busy))
await parked()
const waiting = await measure('parked')
console.log(figureLine('They wait', waiting))
const through = await metric('postroad_recipient_outcomes_total{verdict="delivered"}')
console.log(`delivered in all: ${through}, given back: ${await givenBack()}`)
if (!values['no-keep']) {
  const { database } = values
  const run: ParkedRun = { ...provenance(), messages, sites, database, idle, coming: busy, parked: waiting }
  keepResult('parked', run)
}
hanging.close()
await healthy.close()
