/**
 * How the memory of the process (`POSTROAD_MEMORY`) is divided. Pure. The parts take their limits only from here, so
 * that together they stay below the setting. All values are octets.
 *
 * A part costs more memory than its octets: a body is in memory as received, as parsed, with its files decoded, and in
 * the form for the store; a message as stored, as composed, and as cut for the wire. The factors are measured; see
 * docs/architecture/memory-and-turns.md.
 */
import { constants } from 'node:buffer'

const MIB = 1024 * 1024

/** Program, compiled code, stacks, page caches of SQLite, and the garbage of a nearly idle service. */
const BASE = 150 * MIB
/** The base cost of each delivery thread. */
const DELIVERY_THREAD = 28 * MIB
/** The IMAP client, and the messages of a batch. */
const MAILBOX = 56 * MIB
/** The cost of a body from its arrival to its answer, as a multiple of its octets. */
const BODY_COST = 4
/** The cost of a connection without its bodies: the head of a request, the socket, and their objects. */
const CONNECTION_COST = 24 * 1024
/** Room in a body around the message: the other fields, and the syntax of JSON and forms. */
const ENVELOPE = MIB

export interface MemoryPlan {
  body: {
    /** The largest body of a request. */
    max: number
    /** A body or message from this size on is large: it counts against `large`, all others against `small`. */
    large: number
    /** The cost of a body until its request is answered, as a multiple of its octets. */
    cost: number
  }
  /** The cost of all small bodies, parsed or not, until their requests are answered. */
  small: number
  /** The cost of all large bodies until their requests are answered. A single one always has room. */
  large: number
  /** The cache of message copies for viewing. */
  copies: number
  /** Messages that wait in memory to be sent, including those under way; and large messages under way. */
  ready: number
  readyLarge: number
  /** The number of messages in `ready`, not octets. */
  deliveries: number
  /** Connections of clients, and requests under way on them. */
  connections: number
  requests: number
  /**
   * Heap (old generation) of each bounded worker. Its memory outside the heap (buffers) counts as part of the cost of
   * its current body.
   */
  workerHeap: number
  /** Percent by which the heap of a thread may grow between two collections; null: as `bin/postroad` sets it in V8. */
  heapGrowth: number | null
}

interface PlanInput {
  /** `POSTROAD_MEMORY`. */
  memory: number
  /** `POSTROAD_MAX_MESSAGE_SIZE`. */
  maxMessageSize: number
  deliveryThreads: number
  /** Null or absent: no mailbox is read. */
  bounceMailbox?: object | null
}

/** The most deliveries that wait in memory to be sent, with any amount of memory. */
const DELIVERIES = 2_000
/**
 * With less memory than this, garbage is collected more often: that saves up to 60 MB, and costs some percent of the
 * speed.
 */
const AMPLE = 600 * 1000 * 1000
const FRUGAL_GROWTH = 60

/** Shares of the memory beyond the base; the rest is for garbage not yet collected. */
const PART = { small: 0.15, large: 0.4, copies: 0.06, ready: 0.06, readyLarge: 0.06 }
/** The largest copy has room unless it would take more than this share. */
const MAX_FOR_A_COPY = 0.15

export function planMemory(input: PlanInput): MemoryPlan {
  const { memory, maxMessageSize } = input
  const rest = Math.max(64 * MIB, memory - fixedPart(input))
  const part = (of: number) => Math.floor(rest * of)
  const max = bodyLimit(maxMessageSize)
  const connections = Math.floor((2 * memory) / MIB)
  return {
    body: { max, large: 256 * 1024, cost: BODY_COST },
    small: Math.max(4 * MIB, part(PART.small) - connections * CONNECTION_COST),
    large: part(PART.large),
    copies: Math.max(part(PART.copies), Math.min(max, part(MAX_FOR_A_COPY))),
    ready: part(PART.ready),
    readyLarge: part(PART.readyLarge),
    deliveries: DELIVERIES,
    connections,
    requests: Math.floor(memory / MIB),
    // The text of the largest body and its largest string are both in the heap for a moment.
    workerHeap: Math.max(64 * MIB, Math.min(3 * max, Math.floor(memory / 3))),
    heapGrowth: memory < AMPLE ? FRUGAL_GROWTH : null,
  }
}

/** The least `memory` in which the largest message can be accepted at all. */
export function leastMemory(input: Omit<PlanInput, 'memory'>): number {
  return fixedPart(input) + BODY_COST * bodyLimit(input.maxMessageSize)
}

/** The memory that is taken before the first message arrives. */
function fixedPart({
  deliveryThreads,
  bounceMailbox = null,
}: Pick<PlanInput, 'deliveryThreads' | 'bounceMailbox'>): number {
  return BASE + deliveryThreads * DELIVERY_THREAD + (bounceMailbox === null ? 0 : MAILBOX)
}

/**
 * The octets that a request body may have, enough for a message of `messageMax` octets: its files as base64 (4/3 of
 * their octets, RFC 4648 4), and the text around them. Files sent as arrays of byte values take up to three times as
 * much, so they reach the limit earlier. The limit is never more than one string can hold.
 */
export function bodyLimit(messageMax: number): number {
  return Math.min(Math.ceil((messageMax * 4) / 3) + ENVELOPE, constants.MAX_STRING_LENGTH)
}
