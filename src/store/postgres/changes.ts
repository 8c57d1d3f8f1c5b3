/**
 * Notifies the nodes of changes. Changes are known from version counters alone, which each node reads twice a second,
 * and which only a role with rights on our tables can raise. NOTIFY is a hint to read them now; its content is not
 * trusted.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { StoreChange } from '../store.ts'
import { Hints, sleep } from './hints.ts'

/**
 * In milliseconds: the time between two reads of the counters, the wait before a new connection replaces a lost one,
 * and the time limit for closing a connection.
 */
const POLL_MS = 500
const RECONNECT_MS = 250
const END_MS = 1_000
/**
 * Milliseconds between two announcements of a kind of change that many commits make. An announcement raises a counter,
 * and a counter is a row that all nodes write.
 */
const NOTICE_PAUSE_MS = 20

const CHANNEL = 'postroad'
const LISTEN = `LISTEN ${CHANNEL}`
const VERSIONS = "SELECT name, value FROM counters WHERE name IN ('accounts', 'queue', 'stops', 'webhooks')"
const BUMP = 'UPDATE counters SET value = value + 1 WHERE name = $1::text RETURNING value'
const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1::text)::text`

/** Runs one statement on a connection of the caller's choice; returns its rows. */
type RunQuery = (text: string, values: string[]) => Promise<{ rows: unknown[] }>

interface ChangeParts {
  /**
   * Opens a connection that the caller may keep. Its statements must fail when no answer comes for some seconds.
   */
  connect(): Promise<Client>
  /** Runs one statement outside a transaction. */
  query: RunQuery
}

interface Version {
  name: StoreChange
  value: string | number
}

export class ChangeFeed {
  /** Marks this node's own notifications. A forged notification with this mark is merely ignored. */
  readonly #id = randomUUID()
  readonly #parts: ChangeParts
  readonly #watchers = new Set<(change: StoreChange) => void>()
  /** By counter: watchers were notified of everything up to this version. */
  readonly #versions = new Map<StoreChange, number>()
  /** Own changes whose outcome is not known yet: meanwhile the counter says nothing about other nodes' changes. */
  readonly #pending = new Map<StoreChange, number>()
  #listening: AbortController | null = null
  #ended: Promise<void> = Promise.resolve()
  /** Announcements under way, and changes that came since they began. */
  readonly #noticing = new Map<StoreChange, Promise<void>>()
  readonly #noticeAgain = new Set<StoreChange>()
  readonly #hints = new Hints()
  #hinting: Promise<void> | null = null
  #hintAgain = false
  #closed = false

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** Called once, when the store is opened: changes after it are reported. */
  async begin(): Promise<void> {
    const { rows } = await this.#parts.query(VERSIONS, [])
    this.#startFrom(rows as Version[])
  }

  /**
   * Announces a change of our own, which `work` writes; `work` returns whether there is one. `write` must be the last
   * statement of its transaction, because it locks a row that all nodes write: other nodes find the change with the
   * commit. The hint is sent after the transaction, so that a failed hint cannot fail the transaction.
   */
  async noticed(
    kind: StoreChange,
    work: (write: (query: RunQuery) => Promise<void>) => Promise<boolean>,
  ): Promise<boolean> {
    this.#pending.set(kind, (this.#pending.get(kind) ?? 0) + 1)
    let version = 0
    let changed = false
    try {
      changed = await work(async (query) => {
        const { rows } = await query(BUMP, [kind])
        version = Number((rows[0] as Version).value)
      })
    } finally {
      this.#pending.set(kind, this.#pending.get(kind)! - 1)
      // A gap before our version is another node's change, which has not been reported yet. When it is unknown whether
      // ours was committed, the counter will show it.
      if (changed && version === (this.#versions.get(kind) ?? 0) + 1) this.#versions.set(kind, version)
    }
    if (changed) this.#hint()
    return changed
  }

  /**
   * The queue has changed and is committed: new work waits, or is due sooner, or has ended. Notifies watchers here now,
   * and other nodes soon.
   */
  queueChanged(): void {
    this.#changed('queue')
  }

  /** The stops have changed and are committed. Notifies watchers here now, and other nodes soon. */
  stopsChanged(): void {
    this.#changed('stops')
  }

  /** Notifies the watchers of this node. */
  tell(kind: StoreChange): void {
    for (const watcher of this.#watchers) watcher(kind)
  }

  watch(onChange: (change: StoreChange) => void): () => void {
    this.#watchers.add(onChange)
    if (this.#listening === null && !this.#closed) {
      this.#listening = new AbortController()
      this.#ended = this.#listen(this.#listening.signal)
    }
    return () => {
      if (this.#watchers.delete(onChange) && this.#watchers.size === 0) this.#stop()
    }
  }

  /** Sends pending announcements to other nodes first. */
  async close(): Promise<void> {
    this.#closed = true
    this.#watchers.clear()
    this.#stop()
    await Promise.all([this.#ended, ...this.#noticing.values()])
    await this.#hinting
  }

  /** Makes other nodes look at the counters now. If it fails, they look half a second later. */
  #hint(): void {
    this.#hintAgain = true
    this.#hinting ??= this.#sendHints()
  }

  #stop(): void {
    this.#listening?.abort()
    this.#listening = null
  }

  #changed(kind: StoreChange): void {
    this.tell(kind)
    if (this.#noticing.has(kind)) this.#noticeAgain.add(kind)
    else this.#noticing.set(kind, this.#notice(kind))
  }

  async #notice(kind: StoreChange): Promise<void> {
    do {
      this.#noticeAgain.delete(kind)
      // When the database cannot be reached, each node finds the work itself once the database is back.
      await this.noticed(kind, (write) => write(this.#parts.query).then(() => true)).catch(() => {})
      // A timer that keeps the process alive, unlike `sleep`: closing waits for it, and nothing else may keep the
      // process alive by then.
      if (!this.#closed) await pause(NOTICE_PAUSE_MS)
    } while (this.#noticeAgain.has(kind))
    this.#noticing.delete(kind)
  }

  async #sendHints(): Promise<void> {
    while (this.#hintAgain) {
      this.#hintAgain = false
      await this.#parts.query(NOTIFY, [this.#id]).catch(() => {})
      if (!this.#closed) await pause(NOTICE_PAUSE_MS)
    }
    this.#hinting = null
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for (let again = false; !signal.aborted; again = true) {
      let client: Client | undefined
      try {
        const lost = new AbortController()
        client = await this.#parts.connect()
        client.on('error', () => lost.abort())
        client.on('end', () => lost.abort())
        this.#takeHints(client)
        if (again) await this.#beginAgain(client)
        await this.#poll(client, AbortSignal.any([signal, lost.signal]))
      } catch {
        // The database cannot be reached. Changes made meanwhile are reported once it is back.
      }
      // The end of a connection that was cut on the way is never confirmed.
      if (client !== undefined) await Promise.race([client.end().catch(() => {}), sleep(END_MS)])
      if (!signal.aborted) await sleep(RECONNECT_MS, signal)
    }
  }

  #takeHints(client: Client): void {
    client.on('notification', ({ payload }) => {
      if (payload === this.#id || this.#hints.take()) return
      // Otherwise the server would send all pending notifications, up to gigabytes, before it notices that nobody reads
      // them.
      client.connection.stream.destroy()
    })
  }

  async #poll(client: Client, signal: AbortSignal): Promise<void> {
    let listening = false
    while (!signal.aborted) {
      if (!listening && this.#hints.listening) {
        await client.query(LISTEN)
        listening = true
      }
      this.#hints.looking()
      const { rows } = await client.query<Version>(VERSIONS)
      for (const { name, value } of rows) this.#reached(name, Number(value))
      await this.#hints.next(POLL_MS, signal)
    }
  }

  /** Anything may have changed while we were away; after a failover the counters may even be lower than before. */
  async #beginAgain(client: Client): Promise<void> {
    const { rows } = await client.query<Version>(VERSIONS)
    this.#startFrom(rows)
    for (const { name } of rows) this.tell(name)
  }

  #startFrom(versions: Version[]): void {
    for (const { name, value } of versions) this.#versions.set(name, Number(value))
  }

  #reached(kind: StoreChange, version: number): void {
    if (version <= (this.#versions.get(kind) ?? 0) || (this.#pending.get(kind) ?? 0) > 0) return
    this.#versions.set(kind, version)
    this.tell(kind)
  }
}
