import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

interface GaugeSource {
  nodes(): readonly { roles: readonly string[] }[]
  /** `closed`: paths by kind of trouble; `blocked`: those whose servers name a block list, by its name. */
  deliveries(): {
    ready: number
    inSession: number
    halted: boolean
    closed: ReadonlyMap<string, number>
    blocked: ReadonlyMap<string, number>
  }
  /** Messages handed over whose result is not recorded. */
  unrecorded(): number
  /** The fault of the operator's sites file; null: there is none. */
  sitesFault(): string | null
  domainsWithoutRecords(): number
  webhooks(): ReadonlyMap<string, { webhooks: number; behind: number }>
  /** The state of the bounce mailbox on this node; null: there is none. */
  mailbox(): (typeof MAILBOX_STATES)[number] | null
  recipients(): Promise<{ waiting: number; sending: number; quarantined: number; due: number }>
}

const MAILBOX_STATES = ['reading', 'failing', 'elsewhere'] as const
const WEBHOOK_STATES = ['current', 'behind', 'failing']
/** Milliseconds for the store's counts; a client that fetches the metrics waits hardly longer. */
const COUNT_WITHIN = 3_000

/** The metrics of the service. Labels are few and have a fixed set of values: never a company, an address or an id. */
export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  readonly accepted = this.#counter(
    'postroad_emails_accepted_total',
    'Emails stored durably and answered with 200.',
  )
  readonly refused = this.#counter(
    'postroad_submissions_refused_total',
    'Refused submissions, by reason.',
    'reason',
  )
  readonly outcomes = this.#counter(
    'postroad_recipient_outcomes_total',
    'Results of attempts, one per recipient, by verdict.',
    'verdict',
  )
  readonly givenBack = this.#counter(
    'postroad_deliveries_given_back_total',
    'Deliveries that were released without an attempt: their path was closed, or they were stopped or paused.',
  )
  readonly attemptSeconds = new Histogram({
    name: 'postroad_delivery_attempt_seconds',
    help: 'Duration of one delivery attempt.',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers: this.#registers,
  })
  readonly storeFaults = this.#counter(
    'postroad_store_faults_total',
    'Writes that the database could not commit.',
  )
  readonly fenced = this.#counter(
    'postroad_fenced_results_total',
    'Results refused because this node no longer held the lease.',
  )
  readonly accountLooks = this.#counter(
    'postroad_account_looks_total',
    'Database lookups of a key or a domain that this node did not know. Guessed keys cause at most twenty per second.',
  )
  readonly isolatedDeaths = this.#counter(
    'postroad_isolated_process_deaths_total',
    'Crashes of the isolated process for suspect mail, by cause.',
    'cause',
  )
  readonly nodesGivenUp = this.#counter(
    'postroad_nodes_given_up_total',
    'Nodes whose work this node released, because they were silent for longer than their timeout or were killed under the name of this node.',
  )
  readonly rejoined = this.#counter(
    'postroad_node_rejoined_total',
    'Times that other nodes had taken over the work of this node and it started anew.',
  )
  readonly workerDeaths = this.#counter(
    'postroad_worker_deaths_total',
    'Workers that crashed on a job, by cause: memory, time, crash.',
    'cause',
  )
  readonly webhookAttempts = this.#counter(
    'postroad_webhook_attempts_total',
    'Attempts to send an event to a webhook, by outcome: succeeded, failed.',
    'outcome',
  )
  readonly webhooksDisabled = this.#counter(
    'postroad_webhooks_disabled_total',
    'Webhooks disabled because all attempts failed for five days.',
  )
  readonly mailboxMessages = this.#counter(
    'postroad_mailbox_messages_total',
    'Messages of the bounce mailbox, by result: read, unreadable (put aside in a folder of their own).',
    'result',
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'postroad_' })
  }

  /** Adds gauges that are read only when a client fetches the metrics. */
  watch(source: GaugeSource): void {
    this.#gauge(
      'postroad_ready_deliveries',
      'Deliveries in memory that are waiting for a session.',
      (gauge) => gauge.set(source.deliveries().ready),
    )
    this.#gauge('postroad_deliveries_in_session', 'Deliveries in a session or about to enter one.', (gauge) =>
      gauge.set(source.deliveries().inSession),
    )
    this.#gauge(
      'postroad_unrecorded',
      'Messages whose final dot was sent and whose result is not stored yet: these may be sent twice if the node is killed now. POSTROAD_MAX_UNRECORDED is their limit.',
      (gauge) => gauge.set(source.unrecorded()),
    )
    this.#gauge(
      'postroad_delivery_halted',
      '1 while this node starts no deliveries, because the database does not accept results or other nodes may have taken over its work. Pauses do not count.',
      (gauge) => gauge.set(source.deliveries().halted ? 1 : 0),
    )
    this.#gauge(
      'postroad_paths_closed',
      'Closed paths, which are probed from time to time: the server refuses this service (credentials, path, sender), accepts no more mail for now (busy) or cannot be reached (unreachable), or the proxy of the source address fails (source).',
      (gauge) => {
        gauge.reset()
        for (const [kind, count] of source.deliveries().closed) gauge.set({ kind }, count)
      },
      'kind',
    )
    this.#gauge(
      'postroad_paths_blocked',
      'Closed paths whose servers name a block list that has the address of this service, by the name of the list; postroad_paths_closed counts them as well.',
      (gauge) => {
        gauge.reset()
        for (const [list, count] of source.deliveries().blocked) gauge.set({ list }, count)
      },
      'list',
    )
    this.#gauge(
      'postroad_sites_file_faulty',
      '1 while the file of POSTROAD_SITES has a fault, so that the limits from before its change stay in force. The log has the fault.',
      (gauge) => gauge.set(source.sitesFault() === null ? 0 : 1),
    )
    this.#gauge(
      'postroad_domains_without_records',
      'Domains that have lost their DKIM records in DNS: their mail fails at receivers, and their sending ends after POSTROAD_DOMAIN_GRACE.',
      (gauge) => gauge.set(source.domainsWithoutRecords()),
    )
    this.#gauge(
      'postroad_nodes',
      'Running nodes as seen by this node, by role.',
      (gauge) => {
        for (const role of ['api', 'delivery']) {
          gauge.set({ role }, source.nodes().filter(({ roles }) => roles.includes(role)).length)
        }
      },
      'role',
    )
    this.#gauge(
      'postroad_bounce_mailbox',
      '1 for the state of the bounce mailbox on this node, 0 for the others: reading, failing (this node should read it and cannot; the log has the reason), elsewhere (another node reads it). No value without a mailbox.',
      (gauge) => {
        const state = source.mailbox()
        gauge.reset()
        if (state !== null)
          for (const each of MAILBOX_STATES) gauge.set({ state: each }, each === state ? 1 : 0)
      },
      'state',
    )
    this.#gauge(
      'postroad_webhooks',
      'Enabled webhooks that this node sends to, by state: current, behind (catching up with the event log), failing (all recent attempts failed).',
      (gauge) => {
        for (const state of WEBHOOK_STATES) gauge.set({ state }, source.webhooks().get(state)?.webhooks ?? 0)
      },
      'state',
    )
    this.#gauge(
      'postroad_webhook_events_behind',
      'Events in the log, of all companies, that the slowest webhook in each state has not reached yet.',
      (gauge) => {
        for (const state of WEBHOOK_STATES) gauge.set({ state }, source.webhooks().get(state)?.behind ?? 0)
      },
      'state',
    )
    this.#gauge(
      'postroad_recipients',
      'Recipients in a state that is not final: waiting (until they are due), sending (a node is delivering to them, or is about to), quarantined (crashed a process; the operator releases or cancels them). Also due: the waiting recipients whose time has come.',
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
