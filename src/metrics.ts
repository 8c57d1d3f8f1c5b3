import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface GaugeSource {
  nodes(): readonly { roles: readonly string[] }[]
  deliveries(): { ready: number; inSession: number; halted: boolean; closed: ReadonlyMap<string, number> }
  /** Messages handed over and not recorded. */
  unrecorded(): number
  recipients(): Promise<{ waiting: number; sending: number; quarantined: number; due: number }>
}

/** Milliseconds the store may take to count; whoever asks for the page has little more patience. */
const COUNT_WITHIN = 3_000

/** What an operator can watch. Labels are few and closed: no company, address or id ever becomes one. */
export class Metrics {
  readonly registry = new Registry()

  readonly accepted = new Counter({
    name: 'postroad_emails_accepted_total',
    help: 'Emails made durable and answered with 200.',
    registers: [this.registry],
  })
  readonly refused = new Counter({
    name: 'postroad_submissions_refused_total',
    help: 'Submissions refused, by reason.',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  })
  readonly outcomes = new Counter({
    name: 'postroad_recipient_outcomes_total',
    help: 'Outcomes of attempts, one for each recipient, by verdict.',
    labelNames: ['verdict'] as const,
    registers: [this.registry],
  })
  readonly attemptSeconds = new Histogram({
    name: 'postroad_delivery_attempt_seconds',
    help: 'Time one attempt took: one try of a delivery.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers: [this.registry],
  })
  readonly storeFaults = new Counter({
    name: 'postroad_store_faults_total',
    help: 'Writes the store could not commit.',
    registers: [this.registry],
  })
  readonly fenced = new Counter({
    name: 'postroad_fenced_results_total',
    help: 'Results refused because their lease was no longer that of this node.',
    registers: [this.registry],
  })
  readonly accountLooks = new Counter({
    name: 'postroad_account_looks_total',
    help: 'Looks at the database for a key or a domain that this node did not know. Guessed keys cause no more than twenty a second.',
    registers: [this.registry],
  })
  readonly isolatedDeaths = new Counter({
    name: 'postroad_isolated_process_deaths_total',
    help: 'Deaths of the process in which suspect mail is tried alone, by cause.',
    labelNames: ['cause'] as const,
    registers: [this.registry],
  })
  readonly nodesGivenUp = new Counter({
    name: 'postroad_nodes_given_up_total',
    help: 'Nodes that were silent for too long, or had been killed under the name of this one, whose work this node set free.',
    registers: [this.registry],
  })
  readonly rejoined = new Counter({
    name: 'postroad_node_rejoined_total',
    help: 'Times this node found that it had been given up, and began anew.',
    registers: [this.registry],
  })

  readonly workerDeaths = new Counter({
    name: 'postroad_worker_deaths_total',
    help: 'Workers that died of what they were given, by cause: memory, time, crash.',
    labelNames: ['cause'] as const,
    registers: [this.registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'postroad_' })
  }

  /** Gauges that are looked up only when somebody asks for the page. */
  watch(source: GaugeSource): void {
    const registers = [this.registry]
    new Gauge({
      name: 'postroad_ready_deliveries',
      help: 'Deliveries in memory that wait for a session.',
      registers,
      collect() {
        this.set(source.deliveries().ready)
      },
    })
    new Gauge({
      name: 'postroad_deliveries_in_session',
      help: 'Deliveries in a session, or on their way into one.',
      registers,
      collect() {
        this.set(source.deliveries().inSession)
      },
    })
    new Gauge({
      name: 'postroad_unrecorded',
      help: 'Messages whose final dot was sent and whose result is not durable yet: those that may come twice if the node is killed now. POSTROAD_MAX_UNRECORDED bounds them.',
      registers,
      collect() {
        this.set(source.unrecorded())
      },
    })
    new Gauge({
      name: 'postroad_delivery_halted',
      help: '1 while this node begins nothing: the database takes no results, or the others may have given the node up. Pauses do not count.',
      registers,
      collect() {
        this.set(source.deliveries().halted ? 1 : 0)
      },
    })
    new Gauge({
      name: 'postroad_paths_closed',
      help: 'Paths that are closed now, and tried again from time to time: the other side refuses us (credentials, path, sender), takes no more from us (busy), or cannot be reached (unreachable).',
      labelNames: ['kind'] as const,
      registers,
      collect() {
        this.reset()
        for (const [kind, count] of source.deliveries().closed) this.set({ kind }, count)
      },
    })
    new Gauge({
      name: 'postroad_nodes',
      help: 'Nodes in service as this one sees them, by role.',
      labelNames: ['role'] as const,
      registers,
      collect() {
        for (const role of ['api', 'delivery']) {
          this.set({ role }, source.nodes().filter(({ roles }) => roles.includes(role)).length)
        }
      },
    })
    new Gauge({
      name: 'postroad_recipients',
      help: 'Recipients that are not final: waiting (until they are due), sending (a node has them: ready for a session, or in one), quarantined (took a process down; the operator releases or cancels them). And due: those of the waiting ones whose time is past.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counts = await within(COUNT_WITHIN, source.recipients())
        // Without the database the rest of the page is all the more wanted.
        if (counts === null) this.reset()
        else for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
      },
    })
  }
}

/** Null when it fails or takes longer than `ms`. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ms, null)
  try {
    return await Promise.race([work, late])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
