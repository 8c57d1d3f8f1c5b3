/** One receiving server of the benchmark: listens at an address, behaves as it is told, and tells what arrives. */
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { selfSigned } from '../../test/support/certificate.ts'
import { FaultDice, OBLIGING, type SinkBehaviour } from './behaviour.ts'
import { PeerSession } from './session.ts'

export interface PeerChoice {
  host: string
  /** 0: any free port. */
  port: number
  behaviour: SinkBehaviour
  seed: number
}

export class Peer {
  behaviour: SinkBehaviour
  dice: FaultDice
  readonly secureContext: SecureContext | null
  /** Called with each message taken: its recipients and its octets on the wire. */
  readonly onMessage: (recipients: readonly string[], octets: number) => void
  port = 0
  /** Connections so far. */
  connections = 0
  /** The next message is to be kept. */
  keepNext = false
  /** The message that was kept, dots stuffed as on the wire (RFC 5321 section 4.5.2). */
  kept: Buffer | null = null
  readonly #choice: PeerChoice
  readonly #server = net.createServer({ noDelay: true }, (socket) => this.#welcome(socket))
  readonly #sessions = new Map<Socket, PeerSession>()

  constructor(choice: PeerChoice, onMessage: (recipients: readonly string[], octets: number) => void) {
    this.#choice = choice
    this.behaviour = choice.behaviour
    this.dice = new FaultDice(choice.behaviour, choice.seed)
    this.secureContext = choice.behaviour.starttls
      ? createSecureContext(selfSigned(['sink.test', choice.host]))
      : null
    this.onMessage = onMessage
  }

  /** For sessions. */
  keep(message: Buffer): void {
    this.kept = message
    this.keepNext = false
  }

  async listen(): Promise<void> {
    this.#server.listen({ port: this.#choice.port, host: this.#choice.host, backlog: 1_000 })
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  /** Connections open now. */
  get open(): number {
    return this.#sessions.size
  }

  /** Obliges from now on; the sessions that are open are ended. */
  heal(): void {
    this.behaviour = { ...OBLIGING, starttls: this.#choice.behaviour.starttls }
    this.dice = new FaultDice(this.behaviour, this.#choice.seed)
    for (const session of this.#sessions.values()) session.dismiss()
  }

  /** Behaves again as it was told in the beginning. */
  spoil(): void {
    this.behaviour = this.#choice.behaviour
    this.dice = new FaultDice(this.behaviour, this.#choice.seed)
  }

  /** Listens no longer and cuts every session. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sessions.keys()) socket.destroy()
    await closed
  }

  #welcome(socket: Socket): void {
    this.connections++
    const session = new PeerSession(this, socket)
    this.#sessions.set(socket, session)
    socket.once('close', () => this.#sessions.delete(socket))
    session.greet()
  }
}
