/** Telling the nodes what changed: NOTIFY for speed, and beneath it version counters that each node reads twice a second. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { StoreChange } from '../store.ts'

/** Milliseconds: how often the counters are read, how soon a lost connection is made anew, how long it may take to end one. */
const POLL_MS = 500
const RECONNECT_MS = 250
const END_MS = 1_000
/** What many commits change is told to other nodes at most this often: commits with a NOTIFY wait for each other. */
const NOTICE_PAUSE_MS = 20

const CHANNEL = 'postroad'
const LISTEN = `LISTEN ${CHANNEL}`
const VERSIONS = "SELECT name, value FROM counters WHERE name IN ('accounts', 'queue', 'stops')"
const BUMP = `WITH bumped AS (UPDATE counters SET value = value + 1 WHERE name = $1::text RETURNING value)
  SELECT value, pg_notify('${CHANNEL}', concat_ws(' ', $1::text, value, $2::text))::text FROM bumped`

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

/**
 * A change that is being written. `note` is the last statement of its transaction, for it locks a row that all nodes write;
 * `committed` or `undone` must follow.
 */
export class Noting {
  readonly #feed: ChangeFeed
  readonly #kind: StoreChange
  #version = 0

  constructor(feed: ChangeFeed, kind: StoreChange) {
    this.#feed = feed
    this.#kind = kind
  }

  /** Other nodes are told with the commit. */
  async note(query: Query): Promise<void> {
    const { rows } = await query(BUMP, [this.#kind, this.#feed.id])
    this.#version = Number((rows[0] as Version).value)
  }

  committed(): void {
    this.#feed.settle(this.#kind, this.#version)
  }

  /** Also when nobody knows whether it was committed: the counter will tell. */
  undone(): void {
    this.#feed.settle(this.#kind, 0)
  }
}

export class ChangeFeed {
  /** Marks our own notifications. */
  readonly id = randomUUID()
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
  #closed = false

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** Once, when the store is opened: what changes from here on is told. */
  async begin(): Promise<void> {
    const { rows } = await this.#parts.query(VERSIONS, [])
    this.#startFrom(rows as Version[])
  }

  /** A change of our own begins to be written. When it is committed, tell it. */
  noting(kind: StoreChange): Noting {
    this.#pending.set(kind, (this.#pending.get(kind) ?? 0) + 1)
    return new Noting(this, kind)
  }

  /** Work waits that did not, or is due sooner, or has ended; it is committed. Tells those who watch here now, the others soon. */
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
  }

  /** For Noting. `version` 0: nothing is known to have been written. */
  settle(kind: StoreChange, version: number): void {
    this.#pending.set(kind, this.#pending.get(kind)! - 1)
    // A gap before it is another node's change, which has not been told yet.
    if (version === (this.#told.get(kind) ?? 0) + 1) this.#told.set(kind, version)
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
      const noting = this.noting(kind)
      try {
        await noting.note(this.#parts.query)
        noting.committed()
      } catch {
        // The database is away. Each node looks for itself when it is back, and the work is found.
        noting.undone()
      }
      // Not a sleep of those below: closing waits for it, and nothing else may keep the process alive by then.
      if (!this.#closed) await pause(NOTICE_PAUSE_MS)
    } while (this.#noticeAgain.has(kind))
    this.#noticing.delete(kind)
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for (let again = false; !signal.aborted; again = true) {
      let client: Client | undefined
      try {
        const lost = new AbortController()
        client = await this.#parts.connect()
        client.on('error', () => lost.abort())
        client.on('end', () => lost.abort())
        client.on('notification', ({ payload }) => this.#notified(payload ?? ''))
        await client.query(LISTEN)
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

  async #poll(client: Client, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { rows } = await client.query<Version>(VERSIONS)
      for (const { name, value } of rows) this.#reached(name, Number(value))
      await sleep(POLL_MS, signal)
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

  /** `kind version sender`. */
  #notified(payload: string): void {
    const [kind, version, sender] = payload.split(' ')
    if (sender !== this.id && isChange(kind)) this.#reached(kind, Number(version))
  }

  #reached(kind: StoreChange, version: number): void {
    if (version <= (this.#told.get(kind) ?? 0) || (this.#pending.get(kind) ?? 0) > 0) return
    this.#told.set(kind, version)
    this.tell(kind)
  }
}

function isChange(text: string | undefined): text is StoreChange {
  return text === 'accounts' || text === 'queue' || text === 'stops'
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
}
