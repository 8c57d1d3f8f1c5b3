import type { DatabaseSync } from 'node:sqlite'
import { StoreDamaged, StoreUnavailable } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { asStoreError, isCorruption, isFault } from '../database.ts'
import {
  type CallResult,
  type ChangeFlags,
  faultOf,
  kindsOf,
  type ThreadCall,
  UNCHANGED,
  type Writes,
} from '../protocol.ts'
import { one } from '../rows.ts'
import { Damage, TransactionRestart } from './damage.ts'
import { writeOperations } from './operations.ts'
import { StateCaches } from './state-caches.ts'

interface BatchResult {
  outcomes: CallResult[]
  changed: ChangeFlags
  commits: number
  /** Sentences about damage that was met and worked around. */
  damage: string[]
}

/** How often a batch is run again because an operation has set something aside. */
const MAX_RUNS = 500

/**
 * Runs a batch of operations in one transaction: one commit, one fsync for all. An operation that fails is rolled back
 * alone; when the commit or its environment (the disk, say) fails, nothing of the batch is kept, and every operation of
 * it fails.
 */
export class Transactions extends OnConnection {
  readonly #path: string
  /** The changes made by the operations of one transaction. */
  readonly #changes: ChangeFlags = { ...UNCHANGED }
  readonly #damage = new Damage()
  readonly #memory = new StateCaches()
  readonly #operations: Writes = writeOperations(this.db, {
    changes: this.#changes,
    damage: this.#damage,
    memory: this.#memory,
  })
  readonly #begin = this.db.prepare('BEGIN IMMEDIATE')
  readonly #commit = this.db.prepare('COMMIT')
  readonly #rollback = this.db.prepare('ROLLBACK')
  readonly #savepoint = this.db.prepare('SAVEPOINT operation')
  readonly #release = this.db.prepare('RELEASE operation')
  readonly #undo = this.db.prepare('ROLLBACK TO operation')
  readonly #dataVersion = this.db.prepare('PRAGMA data_version')
  readonly #accountsVersion = this.db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
  #seenData = this.#readDataVersion()
  #seenAccounts = this.#readAccountsVersion()
  /** Changes of other processes seen in a transaction that failed, and not yet reported. */
  #missed: ChangeFlags = UNCHANGED

  constructor(db: DatabaseSync, path: string) {
    super(db)
    this.#path = path
  }

  /**
   * Savepoints cost as much as the rest of a small email together, and failures are rare: so operations first run
   * without them, and when one fails the batch is run again with them.
   *
   * Damage is another matter: once any statement has met it, SQLite refuses the rest of the transaction and its commit,
   * savepoint or not. So everything is rolled back and run again, without the operation (or without what it has set
   * aside).
   */
  run(calls: readonly ThreadCall<Writes>[]): BatchResult {
    const damaged = new Map<number, CallResult>()
    let result = this.#attempt(calls, damaged, 0)
    for (let run = 1; result === null; run++) result = this.#attempt(calls, damaged, run)
    return { ...result, damage: this.#damage.takeNews() }
  }

  /** Null when an operation failed by itself and the batch must be run again; nothing is kept then. */
  #attempt(
    calls: readonly ThreadCall<Writes>[],
    damaged: Map<number, CallResult>,
    run: number,
  ): Omit<BatchResult, 'damage'> | null {
    Object.assign(this.#changes, UNCHANGED)
    let foreign = UNCHANGED
    let current = -1
    let committing = false
    try {
      this.#begin.run()
      foreign = this.look()
      const outcomes = calls.map((call, index) => {
        current = index
        if (run === 0) return { value: this.#operate(call) }
        return damaged.get(index) ?? this.#guarded(call)
      })
      current = -1
      this.#memory.settle()
      committing = true
      this.#commit.run()
      committing = false
      if (this.#changes.accounts) this.#seenAccounts = this.#readAccountsVersion()
      return { outcomes, changed: union(this.#changes, foreign), commits: 1 }
    } catch (error) {
      this.#memory.forget()
      this.#missed = union(this.#missed, foreign)
      const call = calls[current]
      const alone = call !== undefined && this.#failedAlone(error)
      const reason = this.#giveUp(error)
      if (committing) this.#writeOver()
      if (alone) {
        if (isDamage(error) && !(error instanceof TransactionRestart && run < MAX_RUNS)) {
          damaged.set(current, { fault: faultOf(this.#reasonOf(call, error)) })
        }
        return null
      }
      const outcome = { fault: faultOf(reason) }
      return { outcomes: calls.map(() => outcome), changed: UNCHANGED, commits: 0 }
    }
  }

  /** The changes of other processes since the last look. Cheap: reads a counter in shared memory. */
  look(): ChangeFlags {
    const version = this.#readDataVersion()
    const missed = this.#missed
    this.#missed = UNCHANGED
    if (version === this.#seenData) return missed
    this.#seenData = version
    this.#memory.forget()
    const accounts = this.#readAccountsVersion()
    const changed = {
      accounts: accounts !== this.#seenAccounts || missed.accounts,
      queue: true,
      stops: true,
      webhooks: true,
    }
    this.#seenAccounts = accounts
    return changed
  }

  #operate(call: ThreadCall<Writes>): unknown {
    const operation = this.#operations[call.name] as (...args: unknown[]) => unknown
    return operation(...call.args)
  }

  #guarded(call: ThreadCall<Writes>): CallResult {
    this.#memory.settle()
    this.#savepoint.run()
    try {
      const value = this.#operate(call)
      this.#release.run()
      return { value }
    } catch (error) {
      if (isDamage(error) || !this.#failedAlone(error)) throw error
      this.#undo.run()
      this.#release.run()
      this.#memory.forget()
      return { fault: faultOf(asStoreError(error, this.#path)) }
    }
  }

  #reasonOf(call: ThreadCall<Writes>, error: unknown): Error {
    const cause = error instanceof TransactionRestart ? error.cause : error
    const reason = asStoreError(cause, this.#path)
    if (call.name !== 'record' || !isCorruption(cause)) return reason
    const { emailId } = call.args[0]
    return new StoreDamaged(`The result of the email ${emailId} cannot be written. ${reason.message}`, {
      cause,
    })
  }

  /** True when the transaction can go on without the operation. One damaged page must not stop all other operations. */
  #failedAlone(error: unknown): boolean {
    return this.db.isTransaction && (!isFault(error) || isCorruption(error))
  }

  #giveUp(error: unknown): Error {
    try {
      if (this.db.isTransaction) this.#rollback.run()
    } catch (rollback) {
      return new StoreUnavailable(
        `${asStoreError(error, this.#path).message}; undoing it failed: ${rollback}`,
      )
    }
    return asStoreError(error, this.#path)
  }

  /**
   * A commit whose fsync fails is rolled back here, but all of its frames are in the log. If the process died now, the
   * next one would take them for committed, and send mail that was refused. Another commit goes to the same place in
   * the log; it need not succeed, only be written.
   */
  #writeOver(): void {
    try {
      this.#begin.run()
      this.#operations.probe()
      this.#commit.run()
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #readDataVersion(): number {
    return one<{ data_version: number }>(this.#dataVersion)!.data_version
  }

  #readAccountsVersion(): number {
    return one<{ value: number }>(this.#accountsVersion)!.value
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof TransactionRestart || isCorruption(error)
}

function union(a: ChangeFlags, b: ChangeFlags): ChangeFlags {
  const all = { ...a }
  for (const kind of kindsOf(b)) all[kind] = true
  return all
}
