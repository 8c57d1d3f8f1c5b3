/**
 * The other side: DNS and every mail server, in a process of its own that no fault touches. It fails on request at any step of the
 * dialogue, and reports every message it took: who sent it, for whom, when, whether its answer left, and whether it was right.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from '../harness/certificate.ts'
import { now } from '../harness/clock.ts'
import { startDns } from '../harness/dns.ts'
import { Random } from '../harness/random.ts'
import type { Choice, Dialogue, Reaction, SinkHooks, Step } from '../harness/sink/hooks.ts'
import { SinkServer } from '../harness/sink/server.ts'
import { type PublishedKeys, verifyDkim } from '../harness/verify-dkim.ts'
import {
  type Arrival,
  type FromSink,
  keysOf,
  type PermanentRefusal,
  type SinkRule,
  type ToSink,
} from './arrival.ts'
import { checkContent } from './content-check.ts'
import { OtherSideProcess } from './other-side-process.ts'
import { type MailServer, mxOf, rightZone, SERVERS } from './servers.ts'
import type { SinkAddress } from './sink-link.ts'

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
    else answerDns(message)
  },
})

function start(message: ToSink & { kind: 'start' }): void {
  seed = message.seed
  keys = keysOf(message.keys)
  verifyShare = message.verifyShare
  Object.assign(dns.zone, message.zone)
  side.random = new Random(seed)
}

function answerDns({ domain, answer }: ToSink & { kind: 'dns' }): void {
  const name = `in${domain}.test/MX`
  if (answer === 'right') dns.zone[name] = { values: mxOf(domain), ttl: 5 }
  else dns.zone[name] = answer === 'silent' ? { silent: true } : { rcode: 'SERVFAIL' }
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
  readonly #server: MailServer
  readonly #sink: SinkServer
  /** Taken and not yet reported. */
  readonly #taken = new Map<Dialogue, Arrival>()

  constructor(server: MailServer, port: number) {
    this.#server = server
    const { address: host, name, tls } = server
    this.#sink = new SinkServer({ port, host, name, ...(tls && { tls: selfSigned([name]) }) }, this)
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
      helo: dialogue.helo,
      sender: dialogue.sender ?? '',
      recipients,
      messageId: '',
      hash: createHash('sha256').update(raw).digest().readUIntBE(0, 6),
      dotAt,
      answeredAt: null,
      ending: answers ? 'gone' : 'withheld',
      wrong: [],
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

const dns = await startDns(rightZone())
const first = new Server(SERVERS[0]!, 0)
const port = await first.listen()
const servers = [first, ...SERVERS.slice(1).map((server) => new Server(server, port))]
for (const server of servers.slice(1)) await server.listen()

side.listens({ port, dns: dns.address })
