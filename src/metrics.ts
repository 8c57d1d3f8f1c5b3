import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface GaugeSource {
  nodes(): readonly { roles: readonly string[] }[]
  deliveries(): { ready: number; inSession: number; halted: boolean; closed: ReadonlyMap<string, number> }
  /** Messages handed over whose result is not recorded. */
  unrecorded(): number
  webhooks(): ReadonlyMap<string, { webhooks: number; behind: number }>
  recipients(): Promise<{ waiting: number; sending: number; quarantined: number; due: number }>
}

const WEBHOOK_STATES = ['current', 'behind', 'failing']
/** Milliseconds for the store's counts; a client that fetches the metrics waits hardly longer. */
const COUNT_WITHIN = 3_000

/** The metrics of the service. Labels are few and have a fixed set of values: never a company, an address or an id. */
export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  readonly accepted = this.#counter(
    'postroad_emails_accepted_total',
    'Emails made durable and answered with 200.',
  )
  readonly refused = this.#counter(
    'postroad_submissions_refused_total',
    'Submissions refused, by reason.',
    'reason',
  )
  readonly outcomes = this.#counter(
    'postroad_recipient_outcomes_total',
    'Outcomes of attempts, one for each recipient, by verdict.',
    'verdict',
  )
  readonly attemptSeconds = new Histogram({
    name: 'postroad_delivery_attempt_seconds',
    help: 'Time one attempt took: one try of a delivery.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers: this.#registers,
  })
  readonly storeFaults = this.#counter('postroad_store_faults_total', 'Writes the store could not commit.')
  readonly fenced = this.#counter(
    'postroad_fenced_results_total',
    'Results refused because their lease was no longer that of this node.',
  )
  readonly accountLooks = this.#counter(
    'postroad_account_looks_total',
    'Looks at the database for a key or a domain that this node did not know. Guessed keys cause no more than twenty a second.',
  )
  readonly isolatedDeaths = this.#counter(
    'postroad_isolated_process_deaths_total',
    'Deaths of the process in which suspect mail is tried alone, by cause.',
    'cause',
  )
  readonly nodesGivenUp = this.#counter(
    'postroad_nodes_given_up_total',
    'Nodes that were silent for too long, or had been killed under the name of this one, whose work this node set free.',
  )
  readonly rejoined = this.#counter(
    'postroad_node_rejoined_total',
    'Times this node found that it had been given up, and began anew.',
  )
  readonly workerDeaths = this.#counter(
    'postroad_worker_deaths_total',
    'Workers that died of what they were given, by cause: memory, time, crash.',
    'cause',
  )
  readonly webhookAttempts = this.#counter(
    'postroad_webhook_attempts_total',
    'Tries of telling a webhook an event, by outcome: succeeded, failed.',
    'outcome',
  )
  readonly webhooksDisabled = this.#counter(
    'postroad_webhooks_disabled_total',
    'Webhooks that were disabled because they had failed for five days.',
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'postroad_' })
  }

  /** Adds gauges that are read only when a client fetches the metrics. */
  watch(source: GaugeSource): void {
    this.#gauge('postroad_ready_deliveries', 'Deliveries in memory that wait for a session.', (gauge) =>
      gauge.set(source.deliveries().ready),
    )
    this.#gauge(
      'postroad_deliveries_in_session',
      'Deliveries in a session, or on their way into one.',
      (gauge) => gauge.set(source.deliveries().inSession),
    )
    this.#gauge(
      'postroad_unrecorded',
      'Messages whose final dot was sent and whose result is not durable yet: those that may come twice if the node is killed now. POSTROAD_MAX_UNRECORDED bounds them.',
      (gauge) => gauge.set(source.unrecorded()),
    )
    this.#gauge(
      'postroad_delivery_halted',
      '1 while this node begins nothing: the database takes no results, or the others may have given the node up. Pauses do not count.',
      (gauge) => gauge.set(source.deliveries().halted ? 1 : 0),
    )
    this.#gauge(
      'postroad_paths_closed',
      'Paths that are closed now, and tried again from time to time: the other side refuses us (credentials, path, sender), takes no more from us (busy), or cannot be reached (unreachable).',
      (gauge) => {
        gauge.reset()
        for (const [kind, count] of source.deliveries().closed) gauge.set({ kind }, count)
      },
      'kind',
    )
    this.#gauge(
      'postroad_nodes',
      'Nodes in service as this one sees them, by role.',
      (gauge) => {
        for (const role of ['api', 'delivery']) {
          gauge.set({ role }, source.nodes().filter(({ roles }) => roles.includes(role)).length)
        }
      },
      'role',
    )
    this.#gauge(
      'postroad_webhooks',
      'Enabled webhooks that this node tells, by state: current, behind (it catches up with the log), failing (nothing but failures of late).',
      (gauge) => {
        for (const state of WEBHOOK_STATES) gauge.set({ state }, source.webhooks().get(state)?.webhooks ?? 0)
      },
      'state',
    )
    this.#gauge(
      'postroad_webhook_events_behind',
      'Events of the log, of all companies, that the last of the webhooks in each state has not come to yet.',
      (gauge) => {
        for (const state of WEBHOOK_STATES) gauge.set({ state }, source.webhooks().get(state)?.behind ?? 0)
      },
      'state',
    )
    this.#gauge(
      'postroad_recipients',
      'Recipients that are not final: waiting (until they are due), sending (a node has them: ready for a session, or in one), quarantined (took a process down; the operator releases or cancels them). And due: those of the waiting ones whose time is past.',
      async (gauge) => {
        const counts = await within(COUNT_WITHIN, source.recipients())
        // The rest of the page is needed most when the database is down.
        if (counts === null) gauge.reset()
        else for (const [state, count] of Object.entries(counts)) gauge.set({ state }, count)
      },
      'state',
    )
  }

  #counter<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: this.#registers })
  }

  #gauge<Label extends string = never>(
    name: string,
    help: string,
    collect: (gauge: Gauge<Label>) => void | Promise<void>,
    ...labelNames: Label[]
  ): void {
    const registers = this.#registers
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect: () => collect(gauge),
    })
  }
}

/** Null when the work fails or takes longer than `ms`. */
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
