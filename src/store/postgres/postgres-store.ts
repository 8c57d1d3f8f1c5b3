import { bind, COLD_CHANGES, COLD_READS, coldMethods } from '../cold/operations.ts'
import type { Store } from '../store.ts'
import { Acceptance } from './acceptance.ts'
import { ChangeFeed } from './changes.ts'
import { Claim } from './claim.ts'
import { CompanyNumbers } from './companies.ts'
import { Database, type Timeouts } from './database.ts'
import { digest } from './digest.ts'
import { eventLog } from './events.ts'
import { idempotencyReads } from './idempotency.ts'
import { migrate } from './migrate.ts'
import type { StoreParts } from './parts.ts'
import { portOf, run } from './port.ts'
import { queue } from './read/queue.ts'
import { search } from './read/search.ts'
import { work } from './read/work.ts'
import { ResultRecording } from './recording.ts'
import { recovery } from './recovery.ts'
import { Repairs } from './repairs.ts'
import { retention } from './retention.ts'
import { retry } from './retry.ts'

const SEEK_MS = 10_000

interface PostgresOptions {
  /**
   * Milliseconds for which the outcome of an `accept` is sought after its connection was lost. Ten seconds by default.
   */
  seekMs?: number
  /** How long to wait for the database; Timeouts has the defaults. */
  timeouts?: Partial<Timeouts>
}

/** The store in a PostgreSQL database, shared by any number of nodes. */
export interface PostgresStore extends Store {
  /** Transactions committed since the store was opened. */
  readonly commits: number
}

export const PostgresStore = {
  /**
   * Connects, and brings the schema up to date. Rejects with StoreUnavailable (the database cannot be reached) or
   * StoreConflict (a newer schema, another program's database, a server that is too old).
   */
  async open(url: string, { timeouts, seekMs = SEEK_MS }: PostgresOptions = {}): Promise<PostgresStore> {
    await migrate(url)
    const database = new Database(url, timeouts)
    const changes = new ChangeFeed({
      connect: () => database.connect(),
      query: async (text, values) => ({ rows: await database.notice(text, values) }),
    })
    try {
      await changes.begin()
      const companies = new CompanyNumbers(database)
      return storeOf({ database, companies, changes, repairs: new Repairs() }, seekMs)
    } catch (error) {
      await database.close()
      throw error
    }
  },
}

function storeOf(parts: StoreParts, seekMs: number): PostgresStore {
  const { database, changes, repairs } = parts
  const acceptance = new Acceptance({ ...parts, seekMs })
  const claim = new Claim(parts)
  const recording = new ResultRecording(parts)
  const cold: Record<string, (...args: unknown[]) => Promise<unknown>> = bind(
    { ...COLD_READS, ...COLD_CHANGES },
    portOf(parts),
    run,
  )
  return {
    shared: true,
    isServed: async () => true,
    get commits() {
      return database.commits
    },

    accept: (email, lease) => acceptance.accept(email, lease),
    acceptAll: (emails, lease) => acceptance.acceptAll(emails, lease),
    claim: (request) => claim.claim(request),
    record: (attempt) => recording.record(attempt),
    ...coldMethods((name, args) => cold[name]!(...args)),
    ...recovery(parts),
    ...retry(parts),
    ...queue(parts),
    ...work(parts),
    ...search(parts),
    ...idempotencyReads(parts),
    ...digest(parts),
    ...eventLog(parts),
    ...retention(parts),

    /**
     * Watchers are notified of `queue` and `stops` when operations of this store change them, but not when `claim` and
     * `record` change the queue.
     */
    watch: (onChange) => changes.watch(onChange),

    async probe(room = 0) {
      await database.write("UPDATE counters SET value = value + 1 WHERE name = 'probe'")
      if (room === 0) return
      await database.write('INSERT INTO room (octets) VALUES ($1)', [Buffer.alloc(room)])
      await database.write('DELETE FROM room')
    },

    async storage() {
      const [row] = await database.read<{ octets: number }>(
        'SELECT pg_database_size(current_database()) AS octets',
      )
      return { engine: 'postgres', database: row!.octets, free: null }
    },

    async close() {
      await Promise.all([acceptance.close(), recording.idle()])
      await repairs.close()
      await changes.close()
      await database.close()
    },
  }
}
