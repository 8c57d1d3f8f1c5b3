/** What was done to the service, when, and to whom: the evidence by which a message that came twice is explained. */
import { now } from '../harness/clock.ts'

/** What each kind is, for people. */
export const FAULT_WORDS = {
  kill: 'kill -9 of a node',
  stop: 'SIGTERM to a node',
  pause: 'SIGSTOP, short',
  'pause-long': 'SIGSTOP beyond the node timeout',
  thread: 'death of a thread inside a node',
  sink: 'mail server fails at a step of the dialogue',
  dns: 'DNS fails, is silent, or answers only over TCP',
  policy: 'policy host away, or an attacker in the way of an MTA-STS policy',
  source: 'source addresses die',
  receiver: 'receiver of webhooks fails, hangs or closes',
  client: 'clients hang up in the middle of a request',
  'disk-full': 'disk full',
  'io-error': 'fsync or write fails with EIO',
  'slow-disk': 'fsync takes long',
  clock: 'clock of a node steps',
  'database-smart': 'PostgreSQL restarted (smart)',
  'database-fast': 'PostgreSQL restarted (fast)',
  'database-immediate': 'PostgreSQL restarted (immediate)',
  'database-kill': 'kill -9 of the postmaster',
  'database-sessions': 'PostgreSQL sessions terminated',
  'database-connections': 'PostgreSQL out of connections',
  cut: 'network between a node and PostgreSQL cut',
}
export type FaultKind = keyof typeof FAULT_WORDS
export const FAULT_KINDS = Object.keys(FAULT_WORDS) as FaultKind[]

export interface Fault {
  id: number
  kind: FaultKind
  /** Nodes concerned; empty: not a fault of nodes. */
  nodes: string[]
  detail: string
  from: number
  /** Infinity while it lasts. */
  until: number
  /** How often it struck: a fault that met nobody proves nothing. */
  hits: number
}

/** One process of a node, from start to end. */
export interface Life {
  name: string
  node: string
  /** It takes mail in. */
  api: boolean
  from: number
  /** Infinity while it lives. */
  until: number
  /** Signal or exit code. */
  end: string
}

/** Faults that are over are kept as long as this many newer ones; ten hours of them at the usual rate. */
const KEPT = 50_000

export class FaultLog {
  #faults: Fault[] = []
  readonly lives = new Map<string, Life>()
  /** Ms after which a silent node is given up; null with a single node. */
  nodeTimeout: number | null = null
  readonly #onFault: (fault: Fault, over: boolean) => void
  #next = 1

  constructor(onFault: (fault: Fault, over: boolean) => void = () => {}) {
    this.#onFault = onFault
  }

  begin(kind: FaultKind, nodes: string[], detail: string, from = now()): Fault {
    const fault = { id: this.#next++, kind, nodes, detail, from, until: Number.POSITIVE_INFINITY, hits: 0 }
    this.#faults.push(fault)
    if (this.#faults.length > KEPT) this.#faults = this.#faults.slice(-KEPT / 2)
    this.#onFault(fault, false)
    return fault
  }

  end(fault: Fault): void {
    fault.until = now()
    this.#onFault(fault, true)
  }

  get all(): readonly Fault[] {
    return this.#faults
  }

  hit(id: number, count: number): void {
    const fault = this.#faults.findLast((each) => each.id === id)
    if (fault) fault.hits += count
  }

  /** Faults of these kinds that lasted at some time between `from` and `until`. */
  during(from: number, until: number, kinds: readonly FaultKind[], node?: string): Fault[] {
    return this.#faults.filter(
      (fault) =>
        kinds.includes(fault.kind) &&
        fault.from <= until &&
        fault.until >= from &&
        (node === undefined || fault.nodes.length === 0 || fault.nodes.includes(node)),
    )
  }

  /** How many faults of each kind were begun, and how many of them struck. */
  counts(): Record<string, { begun: number; struck: number; hits: number }> {
    const counts: Record<string, { begun: number; struck: number; hits: number }> = {}
    for (const { kind, hits } of this.#faults) {
      counts[kind] ??= { begun: 0, struck: 0, hits: 0 }
      const count = counts[kind]
      count.begun++
      count.hits += hits
      if (hits > 0) count.struck++
    }
    return counts
  }
}
