/**
 * The accounts of the store in memory: how a change takes effect when the store reports it, or earlier when a request
 * needs it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountsChange, AccountsSnapshot } from './account.ts'
import { AccountDirectory } from './directory.ts'

/** The source of accounts, such as `Store`. */
interface AccountSource {
  accounts(): Promise<AccountsSnapshot>
  /** Changes with every change of accounts. */
  accountsVersion(): Promise<number>
  /** The changes since that version; null: everything must be read. */
  accountsSince(version: number): Promise<AccountsChange | null>
  /** Calls back with `accounts`, among others, soon after a change. Returns a function that stops it. */
  watch(onChange: (change: string) => void): () => void
}

interface LiveAccountsParts {
  source: AccountSource
  /** Changed accounts could not be read; they will be read again in a second. */
  onFault(error: unknown): void
  /** The store is asked because of a caller that the directory does not know. */
  onLook(): void
}

/** Milliseconds after a failure: a revoked key must not live on until the next change. */
const AGAIN_MS = 1_000
/** Milliseconds between two looks that strangers cause: guessing keys costs at most twenty tiny reads a second. */
const LOOK_PAUSE_MS = 50

export class LiveAccounts {
  readonly directory = new AccountDirectory()
  readonly #parts: LiveAccountsParts
  readonly #listeners: (() => void)[] = []
  readonly #stopped = new AbortController()
  #unwatch: () => void = () => {}
  /** The directory holds this version or a later one. */
  #version: number | null = null
  #read: Promise<void> = Promise.resolve()
  /** A change was reported that has not been read yet. */
  #changed = false
  #following = false
  /** The look that has not begun yet. */
  #nextLook: Promise<void> | null = null
  /** Resolves when the next look may begin. */
  #mayLook: Promise<unknown> = Promise.resolve()

  constructor(parts: LiveAccountsParts) {
    this.#parts = parts
  }

  /** Reads everything. From then on every change takes effect within a second, whichever process makes it. */
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

  /** Reads the changes. Resolves when everything committed before the call is in effect. */
  refresh(): Promise<void> {
    // One after the other: an older result must not replace a newer one.
    this.#read = this.#read.catch(() => {}).then(() => this.#readChanged())
    return this.#read
  }

  /**
   * Resolves when everything committed before the call is in effect; rejects when the store cannot be read. Cheap for
   * any number of callers: they share a look at the version, at most twenty times a second, and accounts are read only
   * when it has changed.
   */
  catchUp(): Promise<void> {
    // The look under way does not suffice: it may have read the store before the change.
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

  /** As `catchUp`, but at once, for callers who are known and limited: each call costs a look. */
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
    // Read before the accounts: a change in between is found by the next look.
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
