/**
 * Telling the nodes what changed. What has changed is known from version counters alone, which each node reads twice a
 * second, and which only a role with rights on our tables can raise. NOTIFY is a hint to read them now; nobody is
 * believed what it says.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { StoreChange } from '../store.ts'
import { Hints, sleep } from './hints.ts'

/**
 * Milliseconds: how often the counters are read, how soon a lost connection is made anew, how long it may take to end
 * one.
 */
const POLL_MS = 500
const RECONNECT_MS = 250
const END_MS = 1_000
/** What many commits change is told to other nodes at most this often: counters are rows that all nodes write. */
const NOTICE_PAUSE_MS = 20

const CHANNEL = 'postroad'
const LISTEN = `LISTEN ${CHANNEL}`
const VERSIONS = "SELECT name, value FROM counters WHERE name IN ('accounts', 'queue', 'stops', 'webhooks')"
const BUMP = 'UPDATE counters SET value = value + 1 WHERE name = $1::text RETURNING value'
const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1::text)::text`

/** Runs one statement, on a connection of the caller's choice; its rows. */
export type Query = (text: string, values: string[]) => Promise<{ rows: unknown[] }>

export interface ChangeParts {
  /** A connection of its own, which may be kept. Its statements must fail when no answer comes for some seconds. */
  connect(): Promise<Client>
  /** One statement outside a transaction. */
  query: Query
}

interface Version {
  name: StoreChange
  value: string | number
}

export class ChangeFeed {
  /** Marks our own notifications. Who sends others under it achieves that they are ignored. */
  readonly #id = randomUUID()
  readonly #parts: ChangeParts
  readonly #watchers = new Set<(change: StoreChange) => void>()
  /** By counter: up to here everything was told. */
  readonly #told = new Map<StoreChange, number>()
  /** Changes of our own whose fate is not known yet: meanwhile the counter says nothing about others. */
  readonly #pending = new Map<StoreChange, number>()
  #listening: AbortController | null = null
  #ended: Promise<void> = Promise.resolve()
  /** Changes being told to other nodes, and those that came since. */
  readonly #noticing = new Map<StoreChange, Promise<void>>()
  readonly #noticeAgain = new Set<StoreChange>()
  readonly #hints = new Hints()
  #hinting: Promise<void> | null = null
  #hintAgain = false
  #closed = false

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** Once, when the store is opened: what changes from here on is told. */
  async begin(): Promise<void> {
    const { rows } = await this.#parts.query(VERSIONS, [])
    this.#startFrom(rows as Version[])
  }

  /**
   * A change of our own is written by `work`, which says whether there is any. `write` is the last statement of its
   * transaction, for it locks a row that all nodes write: others find the change with the commit. They are let look
   * then; not within the transaction, which must not fail for want of a hint.
   */
  async noticed(
    kind: StoreChange,
    work: (write: (query: Query) => Promise<void>) => Promise<boolean>,
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
      // A gap before it is another node's change, which has not been told yet. When nobody knows whether ours was
      // committed, the counter will tell.
      if (changed && version === (this.#told.get(kind) ?? 0) + 1) this.#told.set(kind, version)
    }
    if (changed) this.#hint()
    return changed
  }

  /**
   * Work waits that did not, or is due sooner, or has ended; it is committed. Tells those who watch here now, the
   * others soon.
   */
  queueChanged(): void {
    this.#changed('queue')
  }

  /** What keeps mail from going out has changed, and is committed. Tells those who watch here now, the others soon. */
  stopsChanged(): void {
    this.#changed('stops')
  }

  /** Tells those who watch here. */
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

  /** What is still to be told to others is told before. */
  async close(): Promise<void> {
    this.#closed = true
    this.#watchers.clear()
    this.#stop()
    await Promise.all([this.#ended, ...this.#noticing.values()])
    await this.#hinting
  }

  /** Lets other nodes look at the counters now. When it fails they will half a second later. */
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
      // When the database is away each node looks for itself once it is back, and the work is found.
      await this.noticed(kind, (write) => write(this.#parts.query).then(() => true)).catch(() => {})
      // Not a sleep of those below: closing waits for it, and nothing else may keep the process alive by then.
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
        // The database is away. What changes meanwhile is told once it is back.
      }
      // A connection that was cut somewhere on the way never answers the farewell.
      if (client !== undefined) await Promise.race([client.end().catch(() => {}), sleep(END_MS)])
      if (!signal.aborted) await sleep(RECONNECT_MS, signal)
    }
  }

  #takeHints(client: Client): void {
    client.on('notification', ({ payload }) => {
      if (payload === this.#id || this.#hints.take()) return
      // The server sends all that it holds, up to gigabytes, before it hears that nobody listens any more.
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

  /** While we were away anything may have changed; after a failover the counters may even stand lower than before. */
  async #beginAgain(client: Client): Promise<void> {
    const { rows } = await client.query<Version>(VERSIONS)
    this.#startFrom(rows)
    for (const { name } of rows) this.tell(name)
  }

  #startFrom(versions: Version[]): void {
    for (const { name, value } of versions) this.#told.set(name, Number(value))
  }

  #reached(kind: StoreChange, version: number): void {
    if (version <= (this.#told.get(kind) ?? 0) || (this.#pending.get(kind) ?? 0) > 0) return
    this.#told.set(kind, version)
    this.tell(kind)
  }
}
