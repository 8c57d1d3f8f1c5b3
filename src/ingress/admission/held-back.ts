/**
 * Connections that are held back for the rest of a turn of the event loop. One turn reads the input of all connections,
 * up to 64 KiB of each, and its framing can make that several milliseconds of work before anything is known of the
 * request: chunks of one octet, one head after another. So once a turn is long, nothing more is read in it. In the next
 * turn the connections held back come first, and source addresses take turns.
 */
import type { Socket } from 'node:net'
import { turn } from '../../common/long-turn.ts'
import { addressGroup } from './address-group.ts'

interface HeldConnection {
  socket: Socket
  /** Record calls until the release. A connection that is no longer read has replaced them with its own. */
  pause: Socket['pause']
  resume: Socket['resume']
  /**
   * Whether the socket is read again after the release. A body without room pauses its socket before that.
   */
  reading: boolean
}

export class PausedSockets {
  /** Open connections by source address. */
  readonly #open = new Map<string, Set<Socket>>()
  #held: HeldConnection[] = []

  /** Registers a connection that speaks HTTP from now on. */
  opened(socket: Socket): void {
    const source = addressGroup(socket.remoteAddress ?? '')
    const sockets = this.#open.get(source) ?? new Set()
    this.#open.set(source, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0 && this.#open.get(source) === sockets) this.#open.delete(source)
    })
  }

  /** Must be called for each piece of work that a connection causes. */
  worked(socket: Socket): void {
    if (!turn.isLong || this.#held.length > 0) return
    const last = this.#open.get(addressGroup(socket.remoteAddress ?? ''))
    // The connection whose work made the turn long comes last in the next one.
    if (last?.delete(socket)) last.add(socket)
    this.#hold()
  }

  #hold(): void {
    const sources = [...this.#open.values()].map((sockets) => sockets.values())
    // One of each source, then the next of each.
    for (let left = sources; left.length > 0; ) {
      left = left.filter((sockets) => {
        const { value: socket, done } = sockets.next()
        if (socket !== undefined && !socket.isPaused()) this.#held.push(holdBack(socket))
        return !done
      })
    }
    setImmediate(() => {
      for (const each of this.#held.splice(0)) release(each)
    })
  }
}

/**
 * Node.js itself pauses and resumes the socket for the body of its request: these calls are recorded until the release.
 */
function holdBack(socket: Socket): HeldConnection {
  socket.pause()
  const one: HeldConnection = {
    socket,
    reading: true,
    pause: () => {
      one.reading = false
      return socket
    },
    resume: () => {
      one.reading = true
      return socket
    },
  }
  socket.pause = one.pause
  socket.resume = one.resume
  return one
}

function release({ socket, reading, pause, resume }: HeldConnection): void {
  const own: Partial<Socket> = socket
  if (own.pause === pause) delete own.pause
  if (own.resume === resume) delete own.resume
  if (reading && !socket.destroyed) socket.resume()
}
