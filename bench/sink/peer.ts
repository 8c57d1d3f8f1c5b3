/** One receiving server of the benchmark: listens at an address, behaves as ordered, and reports the messages that arrive. */
import { selfSigned } from '../../harness/certificate.ts'
import type { Dialogue, Pace, Reaction, SinkHooks, Step } from '../../harness/sink/hooks.ts'
import { SinkServer } from '../../harness/sink/server.ts'
import { FaultDice, OBLIGING, type SinkBehaviour, type SinkFault } from './behaviour.ts'

export interface PeerChoice {
  host: string
  /** 0: any free port. */
  port: number
  behaviour: SinkBehaviour
  seed: number
}

/** Called with each message taken: its recipients and its octets on the wire. */
type OnMessage = (recipients: readonly string[], octets: number) => void

const NOT_NOW: Reaction = { reply: '421 4.3.2 not now', close: true }
const NOT_HERE: Reaction = { reply: '554 5.7.1 not here', close: true }
const FAULTS: Record<SinkFault, Reaction> = {
  '4xx': { reply: '451 4.3.0 not now, come back later' },
  '5xx': { reply: '554 5.7.1 this is not wanted' },
  cut: { close: true },
  hang: { hang: true },
}

export class Peer implements SinkHooks {
  /** Whether to keep the next message. */
  keepNext = false
  /** The message that was kept. */
  kept: Buffer | null = null
  readonly #choice: PeerChoice
  readonly #onMessage: OnMessage
  readonly #server: SinkServer
  #behaviour: SinkBehaviour
  #dice: FaultDice

  constructor(choice: PeerChoice, onMessage: OnMessage) {
    const { host, port, behaviour, seed } = choice
    this.#choice = choice
    this.#onMessage = onMessage
    this.#behaviour = behaviour
    this.#dice = new FaultDice(behaviour, seed)
    const tls = behaviour.starttls ? { tls: selfSigned(['sink.test', host]) } : {}
    this.#server = new SinkServer({ host, port, ...tls }, this)
  }

  get port(): number {
    return this.#server.port
  }

  listen(): Promise<void> {
    return this.#server.listen()
  }

  /** Accepts all mail from now on, and ends the open sessions. */
  heal(): void {
    this.#behave(OBLIGING)
    for (const session of this.#server.sessions) session.dismiss()
  }

  /** Returns to the behaviour that it was started with. */
  spoil(): void {
    this.#behave(this.#choice.behaviour)
  }

  /** Stops listening, and cuts every session. */
  close(): Promise<void> {
    return this.#server.close()
  }

  #behave(behaviour: SinkBehaviour): void {
    this.#behaviour = behaviour
    this.#dice = new FaultDice(behaviour, this.#choice.seed)
  }

  get pace(): Pace {
    return this.#behaviour
  }

  keeps(): boolean {
    return this.keepNext
  }

  at(step: Step, dialogue: Dialogue): Reaction | undefined {
    const { connections, messages } = this.#behaviour
    if (step === 'connect' && connections > 0 && this.#server.sessions.size > connections)
      return { reply: '421 4.3.2 too many connections', close: true }
    if (step === 'mail' && messages > 0 && dialogue.messages >= messages)
      return { reply: '421 4.7.0 enough for one connection', close: true }
    const fault = this.#dice.draw(step)
    if (fault === null) {
      if (step === 'dot') this.#take(dialogue)
      return undefined
    }
    if (step === 'connect' && fault === '4xx') return NOT_NOW
    if (step === 'connect' && fault === '5xx') return NOT_HERE
    return FAULTS[fault]
  }

  #take(dialogue: Dialogue): void {
    if (this.keepNext) {
      this.kept = dialogue.message()
      this.keepNext = false
    }
    this.#onMessage(dialogue.recipients, dialogue.octets)
  }
}
