import type { Dialogue } from '../smtp/dialogue.ts'
import type { Fallback } from '../smtp/first-connection.ts'
import { openSession, type SmtpSession } from '../smtp/session.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import type { SessionAtDot } from './session-at-dot.ts'

export interface SessionPoolOptions {
  /**
   * Milliseconds for which an idle session is kept; servers close one after minutes at the earliest (RFC 5321
   * 4.5.3.2.7).
   */
  idleTimeout: number
  /** Milliseconds after which a session is not used again, so that load spreads and moved servers are noticed. */
  maxAge: number
  /** The most idle sessions altogether. Beyond that, the session that has been idle longest is ended. */
  maxIdle: number
}

/** A session taken from the pool: it must be given back with `release`, whatever happens to it. */
export interface PooledSession {
  readonly session: SmtpSession
  /** The session has done a transaction before: the server may have closed it without our knowing. */
  readonly reused: boolean
  /** The transaction is sent behind the final dot of another one. */
  readonly behind: boolean
}

interface PoolEntry {
  session: SmtpSession
  key: string
  address: string
  openedAt: number
  idleSince: number
  transactions: number
  /** Deliveries that have it: two while one has begun behind the final dot of the other. */
  users: number
  /** True: the session is not used again. */
  spent: boolean
  /** The most transactions of the session. Many servers end a session after 100 or so. */
  maxTransactions: number
}

/**
 * Sessions that stay open between messages, by server. The session released last is used first, so that a pool shrinks
 * to the number it needs. The number of busy sessions is limited elsewhere.
 */
export class SessionPool {
  readonly #options: SessionPoolOptions
  readonly #idle = new Map<string, PoolEntry[]>()
  /** Every open session, idle or busy. */
  readonly #open = new Map<SmtpSession, PoolEntry>()
  #idleCount = 0
  /** One timer for the pool, running only while a session is idle. */
  #sweeper: NodeJS.Timeout | null = null
  #closed = false

  constructor(options: SessionPoolOptions) {
    this.#options = options
  }

  /** Idle sessions. */
  get idle(): number {
    return this.#idleCount
  }

  /** An idle session of `key`, connected to `address` when one is given. Null when there is none. */
  take(key: string, address: string | null): PooledSession | null {
    const entries = this.#idle.get(key)
    if (entries === undefined) return null
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i]!
      if (entry.session.usable && address !== null && entry.address !== address) continue
      entries.splice(i, 1)
      this.#idleCount--
      if (entry.session.usable && !this.#worn(entry)) {
        if (entries.length === 0) this.#idle.delete(key)
        entry.users = 1
        return { session: entry.session, reused: true, behind: false }
      }
      this.#end(entry)
    }
    if (entries.length === 0) this.#idle.delete(key)
    return null
  }

  /** True when another transaction may and should begin behind the final dot of the one under way. */
  takesNext({ session }: Pick<PooledSession, 'session'>): boolean {
    const entry = this.#open.get(session)
    if (entry === undefined || this.#closed || entry.spent || !session.takesNext) return false
    return session.gainsByNext && !this.#worn(entry)
  }

  /** The session of the earlier delivery, if it has the key and that delivery still waits for the answer to its dot. */
  join(before: SessionAtDot, key: string): PooledSession | null {
    if (before.key !== key || !this.takesNext(before)) return null
    const { session } = before
    this.#open.get(session)!.users++
    return { session, reused: true, behind: true }
  }

  /** Opens a session that will be pooled under `key`, for `maxTransactions` at most. Rejects with SmtpError. */
  async open(
    key: string,
    target: SmtpTarget,
    dialogue: Dialogue,
    signal: AbortSignal,
    maxTransactions: number,
    fallback: Fallback | null = null,
  ): Promise<PooledSession> {
    const session = await openSession(target, dialogue, signal, fallback)
    const now = performance.now()
    this.#open.set(session, {
      session,
      key,
      address: session.address,
      openedAt: now,
      idleSince: now,
      transactions: 0,
      users: 1,
      spent: false,
      maxTransactions,
    })
    session.onIdleEnd = () => this.#ended(session)
    if (this.#closed) session.destroy()
    return { session, reused: false, behind: false }
  }

  /**
   * Takes a session back after a transaction. A session that cannot be used again, or that is not to be kept, is ended.
   */
  release({ session }: PooledSession, keep = true): void {
    const entry = this.#open.get(session)
    if (entry === undefined) return
    entry.transactions++
    entry.users--
    if (!keep) entry.spent = true
    if (entry.users > 0) return
    if (entry.spent || this.#closed || !session.usable || this.#worn(entry)) {
      this.#end(entry)
      return
    }
    entry.idleSince = performance.now()
    const entries = this.#idle.get(entry.key)
    if (entries === undefined) this.#idle.set(entry.key, [entry])
    else entries.push(entry)
    this.#idleCount++
    if (this.#idleCount > this.#options.maxIdle) this.#endOldest()
    this.#sweeper ??= setInterval(() => this.#sweep(), this.#options.idleTimeout / 2).unref()
  }

  /** Keeps no sessions from now on: idle sessions quit at once, busy ones when they are released. */
  close(): void {
    this.#closed = true
    for (const entries of this.#idle.values()) for (const entry of entries) this.#end(entry)
    this.#idle.clear()
    this.#idleCount = 0
    this.#stopSweeping()
  }

  /** Cuts every session, busy ones too. */
  destroy(): void {
    this.close()
    for (const session of this.#open.keys()) session.destroy()
    this.#open.clear()
  }

  #worn(entry: PoolEntry): boolean {
    if (entry.transactions + entry.users >= entry.maxTransactions) return true
    return performance.now() - entry.openedAt >= this.#options.maxAge
  }

  #end(entry: PoolEntry): void {
    this.#open.delete(entry.session)
    if (entry.session.usable) void entry.session.quit()
    else entry.session.destroy()
  }

  /** The server ended the session while it was idle. */
  #ended(session: SmtpSession): void {
    this.#open.delete(session)
    this.#endIdle((entry) => entry.session === session)
  }

  #endOldest(): void {
    let oldest: PoolEntry | undefined
    for (const [first] of this.#idle.values()) {
      if (first !== undefined && (oldest === undefined || first.idleSince < oldest.idleSince)) oldest = first
    }
    if (oldest !== undefined) this.#endIdle((entry) => entry === oldest)
  }

  #sweep(): void {
    const limit = performance.now() - this.#options.idleTimeout
    this.#endIdle((entry) => !entry.session.usable || entry.idleSince <= limit)
    if (this.#idleCount === 0) this.#stopSweeping()
  }

  #endIdle(over: (entry: PoolEntry) => boolean): void {
    for (const [key, entries] of this.#idle) {
      const kept: PoolEntry[] = []
      for (const entry of entries) {
        if (over(entry)) this.#end(entry)
        else kept.push(entry)
      }
      this.#idleCount -= entries.length - kept.length
      if (kept.length === 0) this.#idle.delete(key)
      else this.#idle.set(key, kept)
    }
  }

  #stopSweeping(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}
