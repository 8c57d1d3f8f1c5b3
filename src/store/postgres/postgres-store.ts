import type { AccountsSnapshot, ApiKey, Company, Route, SendingDomain } from '../../accounts/account.ts'
import type { EventFilter, EventPage } from '../../email/event.ts'
import type { Happened } from '../../email/lifecycle.ts'
import type * as types from '../store.ts'
import { Acceptance } from './acceptance.ts'
import { Accounts } from './accounts.ts'
import { Cancellation } from './cancellation.ts'
import { ChangeFeed } from './changes.ts'
import { Claim } from './claim.ts'
import { CompanyNumbers } from './companies.ts'
import { Database, type Timeouts } from './database.ts'
import { EventLog } from './events.ts'
import { Holds } from './holds.ts'
import { migrate } from './migrate.ts'
import { nextDue } from './next-due.ts'
import { Nodes } from './nodes.ts'
import { Pauses } from './pauses.ts'
import { Quarantine } from './quarantine.ts'
import { EmailReader } from './read/emails.ts'
import { QueueReader } from './read/queue.ts'
import { readWork } from './read/work.ts'
import { Recording } from './recording.ts'
import { Recovery } from './recovery.ts'
import { Repairs } from './repairs.ts'
import { Reports } from './reports.ts'
import { Retention } from './retention.ts'
import { Retry } from './retry.ts'
import { Routes } from './routes.ts'
import { Suppressions } from './suppressions.ts'

const SEEK_MS = 10_000

export interface PostgresOptions {
  /** Told of damage in the database that was met and gone around: once for each thing that is damaged. */
  onFault?: (error: Error) => void
  /**
   * Milliseconds for which the outcome of an `accept` is sought whose connection was lost. Ten seconds unless given.
   */
  seekMs?: number
  /** How long the database is waited for; see there for what holds unless given. */
  timeouts?: Partial<Timeouts>
}

/** The store in a PostgreSQL database, which any number of nodes share. */
export class PostgresStore {
  readonly shared = true
  readonly #database: Database
  readonly #changes: ChangeFeed
  readonly #repairs = new Repairs()
  readonly #nodes: Nodes
  readonly #acceptance: Acceptance
  readonly #claim: Claim
  readonly #recording: Recording
  readonly #recovery: Recovery
  readonly #cancellation: Cancellation
  readonly #holds: Holds
  readonly #emails: EmailReader
  readonly #queue: QueueReader
  readonly #events: EventLog
  readonly #reports: Reports
  readonly #accounts: Accounts
  readonly #routes: Routes
  readonly #suppressions: Suppressions
  readonly #pauses: Pauses
  readonly #retention: Retention
  readonly #retry: Retry
  readonly #quarantine: Quarantine

  private constructor(database: Database, { seekMs = SEEK_MS }: PostgresOptions) {
    this.#database = database
    this.#changes = new ChangeFeed({
      connect: () => database.connect(),
      query: async (text, values) => ({ rows: await database.notice(text, values) }),
    })
    const companies = new CompanyNumbers(database)
    const parts = { database, companies, changes: this.#changes, repairs: this.#repairs }
    this.#nodes = new Nodes(database)
    this.#acceptance = new Acceptance({ ...parts, seekMs })
    this.#claim = new Claim(parts)
    this.#recording = new Recording(parts)
    this.#recovery = new Recovery(parts)
    this.#cancellation = new Cancellation(parts)
    this.#holds = new Holds(parts)
    this.#emails = new EmailReader(database, companies)
    this.#queue = new QueueReader(database, companies)
    this.#events = new EventLog(parts)
    this.#reports = new Reports(parts)
    this.#accounts = new Accounts(database, companies, this.#changes)
    this.#routes = new Routes(database, companies, this.#changes)
    this.#suppressions = new Suppressions(database, companies, this.#changes)
    this.#pauses = new Pauses(database, companies, this.#changes)
    this.#retention = new Retention(database)
    this.#retry = new Retry(parts)
    this.#quarantine = new Quarantine(parts)
  }

  /**
   * Connects, and brings the schema up to date. Rejects with StoreUnavailable (the database cannot be reached) or
   * StoreConflict (a newer schema, another program's database, a server that is too old).
   */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    await migrate(url)
    const database = new Database(url, options.timeouts)
    const store = new PostgresStore(database, options)
    try {
      await store.#changes.begin()
      return store
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Transactions committed since the store was opened. */
  get commits(): number {
    return this.#database.commits
  }

  join(node: types.NodeDescription): Promise<number> {
    return this.#nodes.join(node)
  }

  beat(token: number, machine?: string | null): Promise<types.NodeBeat[] | null> {
    return this.#nodes.beat(token, machine)
  }

  nodes(): Promise<types.NodeBeat[]> {
    return this.#nodes.nodes()
  }

  giveUp(token: number, beats: number): Promise<boolean> {
    return this.#nodes.giveUp(token, beats)
  }

  async leave(token: number): Promise<void> {
    await this.#nodes.leave(token)
    this.#changes.queueChanged()
  }

  accept(email: types.NewEmail, lease: types.Lease | null): Promise<types.Accepted> {
    return this.#acceptance.accept(email, lease)
  }

  claim(request: types.ClaimRequest): Promise<types.ClaimedEmail[]> {
    return this.#claim.claim(request)
  }

  nextDue(): Promise<number | null> {
    return nextDue(this.#database)
  }

  record(attempt: types.AttemptRecord): Promise<types.Recorded> {
    return this.#recording.record(attempt)
  }

  recover(request: { now: number; jitterMs: number }): Promise<number> {
    return this.#recovery.recover(request)
  }

  cancel(emailId: string, at: number): Promise<types.Canceled> {
    return this.#cancellation.cancel(emailId, at)
  }

  cancelRequests(): Promise<string[]> {
    return this.#cancellation.requests()
  }

  heldDomains(): Promise<string[]> {
    return this.#holds.domains()
  }

  releaseHeld(domainId: string, release: types.HeldRelease): Promise<number> {
    return this.#holds.release(domainId, release)
  }

  retry(request: types.RetryRequest, onStep?: (sum: types.Retried) => void): Promise<types.Retried> {
    return this.#retry.retry(request, onStep)
  }

  quarantine(request: types.QuarantineRequest): Promise<number> {
    return this.#quarantine.add(request)
  }

  quarantined(filter: { companyId?: string; limit: number }): Promise<types.QuarantinedEmail[]> {
    return this.#quarantine.list(filter)
  }

  releaseQuarantined(scope: types.QuarantineScope, now: number): Promise<number> {
    return this.#quarantine.release(scope, now)
  }

  emailOrigin(id: string): Promise<types.StoredOrigin | null> {
    return this.#emails.origin(id)
  }

  readEmail(id: string): Promise<types.StoredEmail | null> {
    return this.#emails.read(id)
  }

  readHistory(id: string): Promise<types.EmailHistory | null> {
    return this.#emails.history(id)
  }

  readWork(id: string): Promise<types.ClaimedEmail | null> {
    return readWork(this.#database, id)
  }

  readCaptured(id: string): Promise<{ recipients: number[]; raw: Uint8Array }[]> {
    return this.#emails.captured(id)
  }

  listEmails(filter: types.EmailFilter): Promise<types.EmailSummary[]> {
    return this.#emails.list(filter)
  }

  eventsAfter(cursor: number, filter: EventFilter, limit: number): Promise<EventPage> {
    return this.#events.after(cursor, filter, limit)
  }

  lastEventNumber(): Promise<number> {
    return this.#events.last()
  }

  happened(reports: readonly Happened[]): Promise<number> {
    return this.#reports.happened(reports)
  }

  queue(companyId?: string): Promise<types.QueueLane[]> {
    return this.#queue.lanes(companyId)
  }

  counts(now: number): Promise<types.StoreCounts> {
    return this.#queue.counts(now)
  }

  listSuppressions(filter: {
    companyId?: string
    address?: string
    limit: number
  }): Promise<types.Suppression[]> {
    return this.#suppressions.list(filter)
  }

  addSuppression(companyId: string, address: string, reason: string, at: number): Promise<boolean> {
    return this.#suppressions.add(companyId, address, reason, at)
  }

  removeSuppression(companyId: string, address: string): Promise<boolean> {
    return this.#suppressions.remove(companyId, address)
  }

  suppressionsSince(cursor: string | null): Promise<types.NewSuppressions> {
    return this.#suppressions.since(cursor)
  }

  pauses(): Promise<types.Pause[]> {
    return this.#pauses.list()
  }

  pause(pause: types.Pause): Promise<void> {
    return this.#pauses.pause(pause)
  }

  resume(scope: types.PauseScope): Promise<boolean> {
    return this.#pauses.resume(scope)
  }

  retain(request: types.RetentionRequest): Promise<number> {
    return this.#retention.retain(request)
  }

  accounts(): Promise<AccountsSnapshot> {
    return this.#accounts.snapshot()
  }

  accountsVersion(): Promise<number> {
    return this.#accounts.version()
  }

  addCompany(company: Company): Promise<void> {
    return this.#accounts.addCompany(company)
  }

  addDomain(domain: SendingDomain): Promise<void> {
    return this.#accounts.addDomain(domain)
  }

  updateDomain(id: string, change: Parameters<types.AccountStore['updateDomain']>[1]): Promise<void> {
    return this.#accounts.updateDomain(id, change)
  }

  addKey(key: ApiKey): Promise<void> {
    return this.#accounts.addKey(key)
  }

  revokeKey(id: string, at: number): Promise<boolean> {
    return this.#accounts.revokeKey(id, at)
  }

  setRoute(route: Route): Promise<void> {
    return this.#routes.set(route)
  }

  removeRoute(scope: types.RouteScope): Promise<boolean> {
    return this.#routes.remove(scope)
  }

  /**
   * `queue` and `stops` are told for what operations of this store change, but not for what `claim` and `record` do to
   * the queue.
   */
  watch(onChange: (change: types.StoreChange) => void): () => void {
    return this.#changes.watch(onChange)
  }

  async probe(): Promise<void> {
    await this.#database.write("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
  }

  async close(): Promise<void> {
    await Promise.all([this.#acceptance.close(), this.#recording.idle()])
    await this.#repairs.close()
    await this.#changes.close()
    await this.#database.close()
  }
}
