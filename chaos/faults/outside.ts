/** Faults of those the service talks to: mail servers, DNS, receivers of webhooks, clients. */
import { SINK_DEEDS, SINK_STEPS, type SinkDeed, type SinkStep } from '../arrival.ts'
import { DOMAINS } from '../mail.ts'
import { SERVERS } from '../servers.ts'
import type { FaultMaker, Stage } from '../stage.ts'
import { ENDPOINTS } from '../webhooks/endpoints.ts'
import { RECEIVER_DEEDS } from '../webhooks/notice.ts'

/** How often each deed is chosen: refusals for good end messages, so that they are few. */
const DEEDS: readonly (readonly [SinkDeed, number])[] = SINK_DEEDS.map((deed) => [
  deed,
  deed === '5xx' ? 0.4 : 1,
])
/** The window in which doubles come about deserves most of the trouble. */
const STEPS: readonly (readonly [SinkStep, number])[] = SINK_STEPS.map((step) => [
  step,
  step === 'dot' ? 5 : step === 'answered' ? 3 : 1,
])

export function outsideFaults(stage: Stage): FaultMaker[] {
  const { random, log, sink, receiver, load } = stage

  const sinkFails = async () => {
    const step = random.weighted(STEPS)
    const deed = random.weighted(DEEDS)
    const servers = random.chance(0.2)
      ? SERVERS.map(({ index }) => index)
      : SERVERS.filter(() => random.chance(0.4)).map(({ index }) => index)
    const share = random.pick([0.05, 0.3, 1])
    const detail = `${deed} at ${step}, ${servers.length} servers, share ${share}`
    const fault = log.begin('sink', [], detail)
    sink.rule({ id: fault.id, step, deed, servers, share })
    await stage.wait(random.between(500, deed === '5xx' ? 1_500 : 6_000))
    sink.endRule(fault.id)
    log.end(fault)
  }

  const dnsFails = async () => {
    const domains = Array.from({ length: DOMAINS }, (_, domain) => domain).filter(() => random.chance(0.4))
    const answer = random.pick(['servfail', 'silent', 'truncated'] as const)
    const ofServers = random.chance(0.4)
    const names = ofServers
      ? SERVERS.filter(({ domain }) => domains.includes(domain)).map(({ name }) => `${name}/A`)
      : domains.map((domain) => `in${domain}.test/MX`)
    const fault = log.begin('dns', [], `${answer} for ${names.length} ${ofServers ? 'servers' : 'domains'}`)
    sink.dns(names, answer)
    fault.hits = names.length
    await stage.wait(random.between(1_000, 8_000))
    sink.dns(names, 'right')
    log.end(fault)
  }

  const receiverFails = async () => {
    const deed = random.pick(RECEIVER_DEEDS)
    const all = Array.from({ length: ENDPOINTS }, (_, index) => index)
    const endpoints = random.chance(0.5) ? all : [random.pick(all)]
    const share = random.pick([0.2, 0.5, 1])
    const fault = log.begin('receiver', [], `${deed} at endpoints ${endpoints.join()}, share ${share}`)
    receiver.rule({ id: fault.id, deed, endpoints, share })
    await stage.wait(random.between(1_000, 10_000))
    receiver.endRule(fault.id)
    log.end(fault)
  }

  const clientsHangUp = async () => {
    const fault = log.begin('client', [], '')
    const before = load.hungUp
    load.hangUps = random.pick([0.1, 0.5])
    await stage.wait(random.between(500, 3_000))
    load.hangUps = 0
    fault.hits = load.hungUp - before
    log.end(fault)
  }

  return [
    { kind: 'sink', weight: 20, strike: sinkFails },
    { kind: 'dns', weight: 2, strike: dnsFails },
    { kind: 'receiver', weight: 8, strike: receiverFails },
    { kind: 'client', weight: 3, strike: clientsHangUp },
  ]
}
