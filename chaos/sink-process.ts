/**
 * The other side: DNS and every mail server, in a process of its own that no fault touches. It fails on request at any step of the
 * dialogue, and reports every message it took: who sent it, for whom, when, whether its answer left, and whether it was right.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Certificate, type Issuer, issuedBy, selfSigned } from '../harness/certificate.ts'
import { now } from '../harness/clock.ts'
import { type Answer, startDns, type Zone } from '../harness/dns.ts'
import { Random } from '../harness/random.ts'
import type { Choice, Dialogue, Pace, Reaction, SinkHooks, Step } from '../harness/sink/hooks.ts'
import { SinkServer } from '../harness/sink/server.ts'
import { type PublishedKeys, verifyDkim } from '../harness/verify-dkim.ts'
import {
  type Arrival,
  type DnsAnswer,
  type FromSink,
  type HostDeed,
  keysOf,
  type PermanentRefusal,
  type SinkRule,
  type ToSink,
} from './arrival.ts'
import { checkContent } from './content-check.ts'
import { readAddress } from './mail.ts'
import { OtherSideProcess } from './other-side-process.ts'
import { announced, POLICY_DOMAINS, policyZone } from './policy.ts'
import { startPolicyHost } from './policy-host.ts'
import { type MailServer, rightZone, SERVERS, TTL } from './servers.ts'
import type { SinkAddress } from './sink-link.ts'
import { lifeOfHelo } from './source-addresses.ts'

let seed = 0
let keys: PublishedKeys = new Map()
let verifyShare = 1
let arrivals: Arrival[] = []
let refusals: PermanentRefusal[] = []

/** Open: messages taken whose report is being made. */
const side = new OtherSideProcess<ToSink, FromSink, SinkRule, SinkAddress>({
  report() {
    dns.queries.length = 0
    if (arrivals.length === 0 && refusals.length === 0) return
    side.say({ kind: 'seen', arrivals, refusals })
    arrivals = []
    refusals = []
  },
  hear(message) {
    if (message.kind === 'start') start(message)
    else if (message.kind === 'dns') answerDns(message)
    else answerPolicy(message)
  },
})

function start(message: ToSink & { kind: 'start' }): void {
  seed = message.seed
  keys = keysOf(message.keys)
  verifyShare = message.verifyShare
  Object.assign(right, message.zone)
  Object.assign(dns.zone, message.zone)
  side.random = new Random(seed)
}

function answerDns({ names, answer }: ToSink & { kind: 'dns' }): void {
  for (const name of names) dns.zone[name] = dnsAnswer(right[name]!, answer)
}

function dnsAnswer(right: Answer | string[], answer: DnsAnswer): Answer | string[] {
  switch (answer) {
    case 'right':
      return right
    case 'servfail':
      return { rcode: 'SERVFAIL' }
    case 'silent':
      return { silent: true }
    case 'absent':
      return { absentFor: TTL }
    case 'truncated':
      return { truncated: (right as { values: string[] }).values, ttl: TTL }
    case 'diverted':
      return { values: [`10 ${SERVERS[0]!.name}`], ttl: TTL }
  }
}

const hostDeeds = new Map<number, HostDeed>()
let policyVersion = 0

/** What is announced anew is fetched anew, while the host is away and when it is back. */
function answerPolicy({ domain, deed }: ToSink & { kind: 'policy-host' }): void {
  if (deed === null) hostDeeds.delete(domain)
  else hostDeeds.set(domain, deed)
  const zone = announced(domain, ++policyVersion)
  Object.assign(right, zone)
  Object.assign(dns.zone, zone)
}

function struck(server: MailServer, step: Step | 'answered'): SinkRule | undefined {
  return side.struck((rule) => rule.step === step && rule.servers.includes(server.index))
}

const TEXT: Record<'4xx' | '421' | '5xx', string> = {
  '4xx': '451 4.3.0 not now',
  '421': '421 4.3.2 closing',
  // No code of an address: what is refused here says nothing about whom.
  '5xx': '554 5.6.0 not like this',
}

/** RFC 5321 4.3.2: the first reply of a session that is refused is 554, later ones as above. */
async function reactionTo({ deed, step }: SinkRule): Promise<Reaction | undefined> {
  const answering = step === 'answered' || step === 'body'
  switch (deed) {
    case '4xx':
    case '5xx':
      return answering ? { close: true } : { reply: TEXT[deed] }
    case '421':
      return answering ? { close: true } : { reply: TEXT[deed], close: true }
    case 'close':
      return { close: true }
    case 'reset':
      return { reset: true }
    case 'no-starttls':
      return { reply: '250 mx.test' }
    case 'garbage':
      return answering ? { close: true } : { reply: '2X0\u0000 \u00ff what\r\n\r\n999999999999' }
    case 'hang':
      await pause(side.random.between(2_000, 12_000))
      return { close: true }
    case 'slow':
      await pause(side.random.between(50, 2_500))
      return undefined
  }
}

class Server implements SinkHooks {
  readonly pace: Pace
  readonly #server: MailServer
  readonly #sink: SinkServer
  /** Taken and not yet reported. */
  readonly #taken = new Map<Dialogue, Arrival>()

  constructor(server: MailServer, port: number) {
    this.#server = server
    this.pace = { link: server.link, latency: 0, dribble: 0 }
    const { address: host, name, tls } = server
    this.#sink = new SinkServer({ port, host, name, ...(tls && { tls: certificateOf(server) }) }, this)
  }

  async listen(): Promise<number> {
    await this.#sink.listen()
    return this.#sink.port
  }

  keeps(): boolean {
    return true
  }

  at(step: Step, dialogue: Dialogue, _line: string, recipient: string | null): Choice {
    const rule = struck(this.#server, step)
    if (step === 'dot') return this.#atDot(dialogue, rule)
    if (!rule) return undefined
    if (
      rule.deed === '5xx' &&
      (step === 'rcpt' || step === 'data' || step === 'mail' || step === 'ehlo' || step === 'connect')
    ) {
      const recipients = step === 'rcpt' ? [recipient!] : step === 'data' ? [...dialogue.recipients] : []
      refusals.push({ server: this.#server.index, recipients, at: now() })
    }
    return reactionTo(rule)
  }

  async #atDot(dialogue: Dialogue, rule: SinkRule | undefined): Promise<Reaction | undefined> {
    const dotAt = now()
    const recipients = [...dialogue.recipients]
    // What is answered from now on is not the message before.
    this.#taken.delete(dialogue)
    if (rule?.deed === '4xx' || rule?.deed === '421') return reactionTo(rule)
    if (rule?.deed === '5xx') {
      refusals.push({ server: this.#server.index, recipients, at: dotAt })
      return reactionTo(rule)
    }
    side.open++
    const answers = rule === undefined || rule.deed === 'slow'
    const raw = dialogue.message()
    const arrival: Arrival = {
      server: this.#server.index,
      helo: lifeOfHelo(dialogue.helo),
      from: dialogue.peer,
      sender: dialogue.sender ?? '',
      recipients,
      messageId: '',
      hash: createHash('sha256').update(raw).digest().readUIntBE(0, 6),
      dotAt,
      answeredAt: null,
      ending: answers ? 'gone' : 'withheld',
      wrong: wrongPlace(this.#server, dialogue),
      verified: false,
    }
    if (answers) this.#taken.set(dialogue, arrival)
    void this.#judge(arrival, raw)
    const reaction = rule && (await reactionTo(rule))
    // The reply is written right after this; whether it could be is known a moment later.
    setTimeout(() => this.#report(dialogue, arrival), 500)
    return reaction
  }

  answered(dialogue: Dialogue): Choice {
    const rule = struck(this.#server, 'answered')
    const arrival = this.#taken.get(dialogue)
    if (arrival) {
      arrival.answeredAt = now()
      arrival.ending = rule?.deed === 'reset' ? 'answered-reset' : 'answered'
    }
    return rule && reactionTo(rule)
  }

  #report(dialogue: Dialogue, arrival: Arrival): void {
    if (this.#taken.get(dialogue) === arrival) this.#taken.delete(dialogue)
    arrivals.push(arrival)
    side.open--
  }

  async #judge(arrival: Arrival, raw: Buffer): Promise<void> {
    try {
      const verify = side.random.chance(verifyShare)
      const { messageId, wrong } = await checkContent(seed, arrival, raw)
      arrival.messageId = messageId
      arrival.wrong.push(...wrong)
      if (!verify) return
      const { pass, signatures } = await verifyDkim(raw, keys)
      arrival.verified = true
      if (!pass) arrival.wrong.push(`DKIM: ${JSON.stringify(signatures)}`)
    } catch (error) {
      arrival.wrong.push(`it could not be read: ${String(error)}`)
    }
  }
}

function certificateOf({ name, domain }: MailServer): Certificate {
  return POLICY_DOMAINS.includes(domain) ? issuedBy(root, [name]) : selfSigned([name])
}

/** A domain with a policy gets its mail over TLS, at its own servers (RFC 8461 5). */
function wrongPlace({ domain, name }: MailServer, { secure, recipients }: Dialogue): string[] {
  if (noPolicies !== null) return []
  const protectedDomains = new Set(
    recipients
      .flatMap((address) => readAddress(address)?.domain ?? [])
      .filter((each) => POLICY_DOMAINS.includes(each)),
  )
  const wrong: string[] = []
  for (const each of protectedDomains) {
    if (!secure) wrong.push(`in clear text for in${each}.test, which has a policy`)
    if (each !== domain) wrong.push(`at ${name}, which the policy of in${each}.test does not name`)
  }
  return wrong
}

const root: Issuer = { name: 'Chaos Root', ...selfSigned(['Chaos Root']) }
const noPolicies = await startPolicyHosts()
const right: Zone = {
  ...rightZone(),
  ...Object.assign({}, ...(noPolicies === null ? POLICY_DOMAINS.map(policyZone) : [])),
}
const dns = await startDns({ ...right })
/** A sentence when they cannot listen here. */
async function startPolicyHosts(): Promise<string | null> {
  try {
    for (const domain of POLICY_DOMAINS)
      await startPolicyHost(domain, root, () => hostDeeds.get(domain) ?? null)
    return null
  } catch (error) {
    return `policy hosts need port 443: ${(error as Error).message}`
  }
}

const first = new Server(SERVERS[0]!, 0)
const port = await first.listen()
const servers = [first, ...SERVERS.slice(1).map((server) => new Server(server, port))]
for (const server of servers.slice(1)) await server.listen()

side.listens({ port, dns: dns.address, authority: root.cert, noPolicies })
