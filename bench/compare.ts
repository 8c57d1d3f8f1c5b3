/** Compares the service with Postfix + opendkim and with Haraka on the same work, in turns. See `--help`. */

import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { count, oneOf, parseOptions, refuse } from '../harness/options.ts'
import { provenance } from '../harness/results.ts'
import { verifyDkim } from '../harness/verify-dkim.ts'
import { startHaraka } from './compare/haraka.ts'
import { harakaIsThere, installHaraka, installPostfix, postfixIsThere } from './compare/install.ts'
import { startPostfix } from './compare/postfix.ts'
import { startPostroad } from './compare/postroad.ts'
import { type Comparison, printComparison, type SystemRound } from './compare/report.ts'
import { type RunningSystem, SENDING_DOMAIN, type SystemPlace } from './compare/system.ts'
import { whenInterrupted } from './interrupted.ts'
import { deliver, measureLimits } from './measure.ts'
import { USUAL_SHAPE } from './message.ts'
import { firstCpu, parseSettings, USUAL_HELP, USUAL_OPTIONS, usableCpus } from './options.ts'
import { keepResult } from './results.ts'
import { PinnedProcess } from './service/pinned-process.ts'
import { OBLIGING } from './sink/behaviour.ts'
import { inTurns } from './turns.ts'

const SYSTEMS = ['postroad', 'postfix', 'haraka'] as const

const HELP = `Usage: node bench/compare.ts [options]

The same messages of 10,240 octets, one recipient each, signed with RSA-2048 and kept on disk until delivered, through each system in
turn to the same sink; all processes on the same CPUs. Prints messages a second, CPU-ms a message, and the ratios.

  --messages N       messages in each round of each system (2000)
  --rounds N         rounds after one warm-up round (5)
  --connections N    connections or sessions that offer the messages (20)
  --cpus LIST        CPUs shared by everything, as taskset writes them (0,1)
  --systems LIST     of ${SYSTEMS.join(', ')} (all)
  --install          installs what is missing: Postfix and opendkim by apt-get (as root; nothing of theirs is started), Haraka by npm
                     into --packages
  --packages DIR     where Haraka's packages are or go (postroad-compare in the system's temporary directory)
  --workers N        Haraka's worker processes (2)
${USUAL_HELP}`

/** Milliseconds after the last arrival in which a system removes what it stored for its messages: that is part of their cost. */
const AFTERMATH = 1_000

/** Messages that the load generator sends directly to the sink. */
const STRAIGHT = 20_000

const values = parseOptions(HELP, {
  messages: { type: 'string', default: '2000' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '20' },
  cpus: { type: 'string', default: '0,1' },
  systems: { type: 'string', default: SYSTEMS.join(',') },
  install: { type: 'boolean', default: false },
  packages: { type: 'string', default: join(os.tmpdir(), 'postroad-compare') },
  workers: { type: 'string', default: '2' },
  ...USUAL_OPTIONS,
})
const chosen = values.systems.split(',').map((name) => oneOf('systems', name, SYSTEMS))
if (values.install) {
  if (chosen.includes('postfix')) installPostfix()
  if (chosen.includes('haraka')) installHaraka(values.packages)
}
const missing = [
  ...(chosen.includes('postfix') && !postfixIsThere() ? ['Postfix with opendkim'] : []),
  ...(chosen.includes('haraka') && !harakaIsThere(values.packages) ? [`Haraka in ${values.packages}`] : []),
]
if (missing.length > 0)
  refuse(`Not installed: ${missing.join(', ')}. Use --install, or leave it out by --systems.`)

const messages = count('messages', values.messages)
const rounds = count('rounds', values.rounds)
const connections = count('connections', values.connections)
const workers = count('workers', values.workers)
const cpus = usableCpus(values.cpus)

const load = new PinnedProcess(cpus, new URL('./load/load-process.ts', import.meta.url))
const sink = new PinnedProcess(cpus, new URL('./sink/sink-process.ts', import.meta.url))
const limits = new PinnedProcess(firstCpu(cpus), new URL('./service/limits-process.ts', import.meta.url))
const running: RunningSystem[] = []

async function start(place: SystemPlace): Promise<void> {
  for (const name of chosen) {
    if (name === 'postroad') running.push(await startPostroad(place, parseSettings(values.set)))
    else if (name === 'postfix') running.push(await startPostfix(place))
    else running.push(await startHaraka(place, { packages: values.packages, workers }))
  }
}

/** Sends one message through the system, and checks its signature with an independent verifier: every system does the same work. */
async function checkSignature({ name, port, target, keys }: RunningSystem): Promise<string> {
  await sink.ask({ keepNext: true })
  await deliver({ load, sink }, { port, target, connections: 1, count: 1 })
  const raw = await sink.report<Uint8Array>({ kept: true })
  const { pass, signatures } = await verifyDkim(raw, keys)
  if (!pass) throw new Error(`${name} did not sign as it should: ${JSON.stringify(signatures)}`)
  return `${signatures.length} signature${signatures.length === 1 ? '' : 's'}, ${raw.length} octets`
}

/** Messages per second from the load generator directly into the sink: neither of them limits a system below this rate. */
async function straight(port: number): Promise<number> {
  const target = { protocol: 'smtp', from: `load@${SENDING_DOMAIN}`, shape: USUAL_SHAPE } as const
  await deliver({ load, sink }, { port, target, connections, count: STRAIGHT / 10 })
  const { offered, received } = await deliver({ load, sink }, { port, target, connections, count: STRAIGHT })
  const last = received.arrivedAt.reduce((latest, at) => Math.max(latest, at), 0)
  return (STRAIGHT * 1000) / (last - offered.startedAt)
}

async function measure(system: RunningSystem): Promise<SystemRound> {
  const { port, target } = system
  const machine = await measureLimits(limits, { directory: values.directory, milliseconds: 500 })
  const before = system.cpu()
  const { offered, received } = await deliver({ load, sink }, { port, target, connections, count: messages })
  await pause(AFTERMATH)
  const last = received.arrivedAt.reduce((latest, at) => Math.max(latest, at), 0)
  return {
    delivered: (messages * 1000) / (last - offered.startedAt),
    accepted: (messages * 1000) / (offered.endedAt - offered.startedAt),
    cpu: (system.cpu() - before) / messages,
    loadCpu: offered.cpu / messages,
    sinkCpu: received.cpu / messages,
    octets: received.octets,
    limits: machine,
  }
}

async function stopAll(): Promise<void> {
  for (const system of running.splice(0)) await system.stop()
  await Promise.all([load, sink, limits].map((part) => part.stop()))
}

whenInterrupted(stopAll)

try {
  const { port: sinkPort } = await sink.ask({ listen: [{ host: '127.0.0.1', behaviour: OBLIGING }], seed: 1 })
  await start({ parent: values.directory, cpus, sinkPort: sinkPort! })
  const comparison: Comparison = {
    ...provenance(),
    cpus,
    messages,
    connections,
    straight: await straight(sinkPort!),
    systems: [],
  }
  for (const system of running) {
    const signature = await checkSignature(system)
    const { name, version, setup } = system
    comparison.systems.push({ name, version, setup, signature, rounds: [] })
    await deliver(
      { load, sink },
      { port: system.port, target: system.target, connections, count: Math.min(messages, 500) },
    )
    await pause(AFTERMATH)
  }
  for (const [index, measured] of (await inTurns(running, rounds, measure)).entries())
    comparison.systems[index]!.rounds = measured
  printComparison(comparison)
  if (!values['no-keep']) console.log(`kept as ${keepResult('compare', comparison)}`)
} finally {
  await stopAll()
}
