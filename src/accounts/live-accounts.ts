/**
 * The accounts of the store in memory: how a change comes to count, when the store tells of it and when somebody needs
 * it before.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountsChange, AccountsSnapshot } from './account.ts'
import { AccountDirectory } from './directory.ts'

/** Where accounts are kept. `Store` is one. */
export interface AccountSource {
  accounts(): Promise<AccountsSnapshot>
  /** Another number after every change of accounts. */
  accountsVersion(): Promise<number>
  /** What has changed since that version; null: everything is to be read. */
  accountsSince(version: number): Promise<AccountsChange | null>
  /** Calls back with `accounts`, among others, soon after a change. Returns a function that stops it. */
  watch(onChange: (change: string) => void): () => void
}

export interface LiveAccountsParts {
  source: AccountSource
  /** Changed accounts could not be read; they will be read in a second. */
  onFault(error: unknown): void
  /** The store is asked because of somebody whom the directory does not know. */
  onLook(): void
}

/** Milliseconds after a failure: a revoked key must not live on for want of another change. */
const AGAIN_MS = 1_000
/**
 * Milliseconds between the beginnings of two looks that strangers cause: guessing keys costs no more than twenty tiny
 * reads a second.
 */
const LOOK_PAUSE_MS = 50

export class LiveAccounts {
  readonly directory = new AccountDirectory()
  readonly #parts: LiveAccountsParts
  readonly #listeners: (() => void)[] = []
  readonly #stopped = new AbortController()
  #unwatch: () => void = () => {}
  /** What the directory holds is this version or a later one. */
  #version: number | null = null
  #read: Promise<void> = Promise.resolve()
  /** A change was told that has not been read yet. */
  #changed = false
  #following = false
  /** The look that has not begun yet. */
  #nextLook: Promise<void> | null = null
  /** Resolves when the next look may begin. */
  #mayLook: Promise<unknown> = Promise.resolve()

  constructor(parts: LiveAccountsParts) {
    this.#parts = parts
  }

  /** Reads everything. From then on a change, whoever makes it, counts within a second. */
  async start(): Promise<void> {
    await this.refresh()
    this.#unwatch = this.#parts.source.watch((change) => {
      if (change !== 'accounts') return
      this.#changed = true
      if (!this.#following) void this.#follow()
    })
  }

  stop(): void {
    this.#stopped.abort()
    this.#unwatch()
  }

  /** Calls back each time the accounts have been read. */
  onRead(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Reads what has changed. Resolves when what was committed before the call counts. */
  refresh(): Promise<void> {
    // One after the other: what was read first must not replace what was read later.
    this.#read = this.#read.catch(() => {}).then(() => this.#readChanged())
    return this.#read
  }

  /**
   * Resolves when what was committed before the call counts; rejects when the store cannot be read. Cheap, whoever asks
   * and how often: all share a look at the version, which is taken at most twenty times a second, and everything is
   * read only when it has changed.
   */
  catchUp(): Promise<void> {
    // Not the look under way: the store may have been read before the change.
    this.#nextLook ??= this.#lookInTurn()
    return this.#nextLook
  }

  async #lookInTurn(): Promise<void> {
    await this.#mayLook
    this.#nextLook = null
    this.#parts.onLook()
    const look = this.look()
    this.#mayLook = Promise.allSettled([look, pause(LOOK_PAUSE_MS)])
    await look
  }

  /** The same at once, for callers who are known and counted: it costs a look each time. */
  async look(): Promise<void> {
    if ((await this.#parts.source.accountsVersion()) !== this.#version) await this.refresh()
  }

  async #readChanged(): Promise<void> {
    const change = this.#version === null ? null : await this.#parts.source.accountsSince(this.#version)
    if (change === null) return await this.#readAll()
    if (change.version === this.#version) return
    this.directory.apply(change)
    this.#version = change.version
    for (const tell of this.#listeners) tell()
  }

  async #readAll(): Promise<void> {
    const { source } = this.#parts
    // Before the accounts: what changes in between is found by the next look.
    const version = await source.accountsVersion()
    this.directory.replace(await source.accounts())
    this.#version = version
    for (const tell of this.#listeners) tell()
  }

  async #follow(): Promise<void> {
    this.#following = true
    while (this.#changed && !this.#stopped.signal.aborted) {
      this.#changed = false
      try {
        await this.refresh()
      } catch (error) {
        this.#parts.onFault(error)
        this.#changed = true
        await pause(AGAIN_MS, undefined, { signal: this.#stopped.signal }).catch(() => {})
      }
    }
    this.#following = false
  }
}
