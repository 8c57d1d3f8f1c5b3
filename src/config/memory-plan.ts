/**
 * How the memory of the process (`POSTROAD_MEMORY`) is divided. Pure: the parts take their limits from here and from
 * nowhere else, so that together they stay below what was set. Everything in octets.
 *
 * What a part costs is more than what it was given: a body is in memory as it arrived, as it was parsed, as its files
 * were decoded and as the store takes it; a message as it was stored, composed and cut for the wire. The factors are
 * measured; see "Admission" in docs/architecture.md.
 */
import { constants } from 'node:buffer'

const MIB = 1024 * 1024

/** Program, compiled code, stacks, page caches of SQLite, and the garbage of a service that has little to do. */
const BASE = 150 * MIB
/** The same of each delivery thread. */
const DELIVERY_THREAD = 28 * MIB
/** Times its octets that a body costs from its arrival to its answer. */
const BODY_COST = 4
/** What a connection costs beside the bodies on it: the head of a request, the socket, the objects made for both. */
const CONNECTION_COST = 24 * 1024
/** Room around a message in the body that brings it: the other fields, and how JSON and forms write them. */
const ENVELOPE = MIB

export interface MemoryPlan {
  body: {
    /** The largest body of a request. */
    max: number
    /**
     * From so many octets on a body or a message is large: such are counted against `large`, all others against
     * `small`.
     */
    large: number
    /** Times its octets that a body costs until its request is answered. */
    cost: number
  }
  /** What small bodies, parsed or not, may cost together until their requests are answered. */
  small: number
  /** The same for large bodies. One alone always has room. */
  large: number
  /** Copies of messages that were composed for somebody to look at, kept to be looked at again. */
  copies: number
  /** Messages that wait in memory to be sent, those under way included; and large messages under way. */
  ready: number
  readyLarge: number
  /** Of both, how many. Not octets. */
  deliveries: number
  /** Connections of clients, and requests under way on them. */
  connections: number
  requests: number
  /**
   * Heap (old generation) of each bounded worker. What one holds outside its heap (buffers) is part of the cost of the
   * body at hand.
   */
  workerHeap: number
  /**
   * Percent by which the heap of a thread may grow between two collections; null: as V8 sees fit, which is up to three
   * times.
   */
  heapGrowth: number | null
}

export interface PlanInput {
  /** `POSTROAD_MEMORY`. */
  memory: number
  /** `POSTROAD_MAX_MESSAGE_SIZE`. */
  maxMessageSize: number
  deliveryThreads: number
}

/** Deliveries that wait in memory to be sent, whatever they have. */
const DELIVERIES = 2_000
/**
 * With less memory than this, garbage is collected more often: it saves up to 60 MB, and costs some percent of the
 * speed.
 */
const AMPLE = 600 * 1000 * 1000
const FRUGAL_GROWTH = 60

/** Parts of what is left beside the base; the rest is garbage not yet collected. */
const PART = { small: 0.15, large: 0.4, copies: 0.06, ready: 0.06, readyLarge: 0.06 }
/** The largest copy has room unless it were more than this. */
const MOST_FOR_A_COPY = 0.15

export function planMemory({ memory, maxMessageSize, deliveryThreads }: PlanInput): MemoryPlan {
  const rest = Math.max(64 * MIB, memory - BASE - deliveryThreads * DELIVERY_THREAD)
  const part = (of: number) => Math.floor(rest * of)
  const max = bodyLimit(maxMessageSize)
  const connections = Math.floor((2 * memory) / MIB)
  return {
    body: { max, large: 256 * 1024, cost: BODY_COST },
    small: Math.max(4 * MIB, part(PART.small) - connections * CONNECTION_COST),
    large: part(PART.large),
    copies: Math.max(part(PART.copies), Math.min(max, part(MOST_FOR_A_COPY))),
    ready: part(PART.ready),
    readyLarge: part(PART.readyLarge),
    deliveries: DELIVERIES,
    connections,
    requests: Math.floor(memory / MIB),
    // The text of the largest body and the largest string in it are both in the heap for a moment.
    workerHeap: Math.max(64 * MIB, Math.min(3 * max, Math.floor(memory / 3))),
    heapGrowth: memory < AMPLE ? FRUGAL_GROWTH : null,
  }
}

/** The least `memory` in which the largest message can be taken in at all. */
export function leastMemory({ maxMessageSize, deliveryThreads }: Omit<PlanInput, 'memory'>): number {
  return BASE + deliveryThreads * DELIVERY_THREAD + BODY_COST * bodyLimit(maxMessageSize)
}

/**
 * The most octets a request body may have so that a message of `messageMax` octets can still be handed in: its files as
 * base64 (4/3 of their octets, RFC 4648 4), and what is around them. Files sent as arrays of byte values take up to
 * three times as much, so they reach the limit earlier. Never more than one string can hold.
 */
export function bodyLimit(messageMax: number): number {
  return Math.min(Math.ceil((messageMax * 4) / 3) + ENVELOPE, constants.MAX_STRING_LENGTH)
}
