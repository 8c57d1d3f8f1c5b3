/**
 * Limits of connections: by source address while no key is known, by company from then on. A new connection is always
 * accepted, so that an operator's probe gets through a flood: at the limit, an idle connection of the party with the
 * most connections is closed for it.
 */
import type { Socket } from 'node:net'
import type { SharedPool } from '../../common/shared-pool.ts'
import { REFUSAL_DELAY_MS } from '../fault.ts'
import { addressGroup } from './address-group.ts'
import { fairPool, KEPT } from './fair-pool.ts'
import { Handshakes } from './handshakes.ts'

/**
 * The part of all connections that may be in a TLS handshake at once: a handshake costs more than a connection, and the
 * client is still unknown.
 */
const HANDSHAKES = 1 / 8

/** A source address, or a company, and its connections, longest idle first. */
interface Party {
  name: string
  /** All parties of the same kind. */
  among: Map<string, Party>
  count: number
  idle: Set<Connection>
}

export interface Connection {
  socket: Socket
  party: Party
  /** Requests with a key under way on the connection. */
  busy: number
  /** The client's address and port, and the local port, until the TLS handshake is done. */
  shaking: string | null
  /** Octets to send before the connection is closed, in protocols with a closing message. */
  farewell: string | null
}

export class Connections {
  readonly #pool: SharedPool
  readonly #handshakes: SharedPool
  readonly #strangers = new Map<string, Party>()
  readonly #companies = new Map<string, Party>()
  readonly #bySocket = new WeakMap<Socket, Connection>()
  readonly #shaking = new Map<string, Connection>()
  readonly #handshakeTurns = new Handshakes((socket) => {
    const connection = this.#bySocket.get(socket)
    if (connection !== undefined) this.#cut(connection)
  })
  /** Connections that were ended for others, or refused. */
  dropped = 0
  #refused = 0

  /** `most`: connections at once. */
  constructor(most: number) {
    this.#pool = fairPool(most)
    this.#handshakes = fairPool(Math.ceil(most * HANDSHAKES))
  }

  get count(): number {
    return this.#pool.taken
  }

  /**
   * A client has connected. `shaking`: a TLS handshake comes first. `farewell`: octets sent before the connection is
   * ended. False: the connection was refused.
   */
  opened(socket: Socket, shaking: boolean, farewell: string | null = null): boolean {
    const address = addressGroup(socket.remoteAddress ?? '')
    const room = this.#makeRoom(this.#strangers.get(address)) || this.#dropAny()
    if (!room || (shaking && !this.#mayShake())) {
      this.#refuse(socket, shaking ? null : farewell)
      return false
    }
    const party = this.#party(this.#strangers, address)
    const connection: Connection = { socket, party, busy: 0, shaking: null, farewell }
    this.#bySocket.set(socket, connection)
    this.#pool.take(1)
    party.count += 1
    party.idle.add(connection)
    if (shaking) this.#shakes(connection)
    socket.once('close', () => this.#closed(connection))
    return true
  }

  /**
   * A trusted proxy has named the address of its client. False: there is no room for the client, and the connection
   * ends.
   */
  comesFrom(socket: Socket, address: string): boolean {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return false
    const name = addressGroup(address)
    if (connection.party.name === name) return true
    if (!this.#makeRoom(this.#strangers.get(name))) {
      this.#cut(connection)
      return false
    }
    const isIdle = connection.party.idle.delete(connection)
    this.#move(connection, this.#party(this.#strangers, name))
    if (isIdle) connection.party.idle.add(connection)
    return true
  }

  /** Must be called when the client of an open connection requests TLS. False: there are too many handshakes. */
  shakes(socket: Socket): boolean {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined || !this.#mayShake()) return false
    this.#shakes(connection)
    return true
  }

  /** Calls `begin` once the client has begun its handshake and its turn has come; never if it disconnects before. */
  handshake(socket: Socket, begin: () => void): void {
    const connection = this.#bySocket.get(socket)
    if (connection !== undefined) this.#handshakeTurns.take(socket, connection.party.name, begin)
  }

  #shakes(connection: Connection): void {
    connection.shaking = origin(connection.socket)
    this.#shaking.set(connection.shaking, connection)
    this.#handshakes.take(1)
  }

  /** The client has shown a key of the company. */
  joins(socket: Socket, companyId: string): void {
    const connection = this.busy(socket, companyId)
    if (connection !== undefined) this.idle(connection)
  }

  /**
   * Refuses a connection. It stays open without service for a moment, because a client whose connection is closed at
   * once reconnects at once. If there are too many such connections, it is closed immediately.
   */
  #refuse(socket: Socket, farewell: string | null): void {
    this.dropped += 1
    if (this.#refused >= this.#pool.size * KEPT) {
      socket.destroy()
      return
    }
    this.#refused += 1
    socket.pause()
    if (farewell !== null) socket.write(farewell)
    const cut = setTimeout(() => socket.destroy(), REFUSAL_DELAY_MS)
    socket.once('close', () => {
      this.#refused -= 1
      clearTimeout(cut)
    })
  }

  /** The handshake of a connection is done: requests will come on `secure`. */
  secured(secure: Socket): void {
    const connection = this.#shaking.get(origin(secure))
    if (connection === undefined) return
    this.#shaken(connection)
    connection.socket = secure
    this.#bySocket.set(secure, connection)
    secure.once('close', () => this.#closed(connection))
  }

  /**
   * A request on the connection has shown a key of the company, and is under way until `idle`. Undefined when the
   * connection is unknown.
   */
  busy(socket: Socket, companyId: string): Connection | undefined {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return undefined
    if (connection.busy++ === 0) connection.party.idle.delete(connection)
    const { party } = connection
    if (party.among === this.#strangers || party.name !== companyId) this.#join(connection, companyId)
    return connection
  }

  /** The request is answered. */
  idle(connection: Connection): void {
    if (--connection.busy === 0 && this.#bySocket.get(connection.socket) === connection) {
      connection.party.idle.add(connection)
    }
  }

  #join(connection: Connection, companyId: string): void {
    this.#makeRoom(this.#companies.get(companyId))
    this.#move(connection, this.#party(this.#companies, companyId))
  }

  #move(connection: Connection, party: Party): void {
    connection.party.count -= 1
    this.#forget(connection.party)
    party.count += 1
    connection.party = party
  }

  #closed(connection: Connection): void {
    if (this.#bySocket.get(connection.socket) !== connection) return
    this.#bySocket.delete(connection.socket)
    this.#shaken(connection)
    const { party } = connection
    party.count -= 1
    party.idle.delete(connection)
    this.#forget(party)
    this.#pool.give(1)
  }

  #shaken(connection: Connection): void {
    if (connection.shaking === null) return
    this.#shaking.delete(connection.shaking)
    connection.shaking = null
    this.#handshakes.give(1)
    this.#handshakeTurns.ended(connection.socket)
  }

  /** Makes room for a new handshake by closing the oldest one. */
  #mayShake(): boolean {
    if (!this.#handshakes.exhausted) return true
    const [oldest] = this.#shaking.values()
    if (oldest === undefined) return false
    this.#cut(oldest)
    return true
  }

  /** Makes room for a connection of the party. If the party has its share, ends an idle one. False: none is idle. */
  #makeRoom(party: Party | undefined): boolean {
    return this.#pool.allows(party?.count ?? 0) || (party !== undefined && this.#drop(party))
  }

  /** Ends the connection of the party that has been idle for the longest. False when none is idle. */
  #drop(party: Party): boolean {
    for (const connection of party.idle) {
      // The last answer is still being sent.
      if (connection.socket.writableLength > 0) continue
      this.#cut(connection)
      return true
    }
    return false
  }

  /** Ends an idle connection of the source address that has the most; if none is idle, one of a company. */
  #dropAny(): boolean {
    if (!this.#pool.exhausted) return true
    for (const parties of [this.#strangers, this.#companies]) {
      let most: Party | undefined
      for (const party of parties.values()) {
        if (party.idle.size > 0 && (most === undefined || party.count > most.count)) most = party
      }
      if (most !== undefined) return this.#drop(most)
    }
    return false
  }

  #cut(connection: Connection): void {
    this.dropped += 1
    const { socket, shaking, farewell } = connection
    // Removed from the counts at once; its later `close` event has no further effect.
    this.#closed(connection)
    if (farewell === null || shaking !== null) {
      socket.destroy()
      return
    }
    socket.write(farewell)
    socket.destroySoon()
    const cut = setTimeout(() => socket.destroy(), REFUSAL_DELAY_MS)
    socket.once('close', () => clearTimeout(cut))
  }

  #party(among: Map<string, Party>, name: string): Party {
    let party = among.get(name)
    if (party === undefined) {
      party = { name, among, count: 0, idle: new Set() }
      among.set(name, party)
    }
    return party
  }

  #forget(party: Party): void {
    if (party.count === 0) party.among.delete(party.name)
  }
}

function origin({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress}:${remotePort}:${localPort}`
}
