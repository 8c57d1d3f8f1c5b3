import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreUnavailable } from '../../store.ts'
import { asStoreError, isFault } from '../database.ts'
import { type Call, type Changed, faultOf, type Outcome, UNCHANGED, type Writes } from '../protocol.ts'
import { one } from '../rows.ts'
import { Changes } from './changes.ts'
import { type WriteOperations, writeOperations } from './operations.ts'

/**
 * Runs a batch of operations in one transaction: one commit, one fsync for all. An operation that fails is undone alone;
 * when the commit fails, or the surroundings do in the middle, nothing of the batch is kept and every operation of it fails.
 */
export class Transactions {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #changes = new Changes()
  readonly #writes: WriteOperations
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #rollback: StatementSync
  readonly #savepoint: StatementSync
  readonly #release: StatementSync
  readonly #undo: StatementSync
  readonly #dataVersion: StatementSync
  readonly #accountsVersion: StatementSync
  #seenData: number
  #seenAccounts: number

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    this.#writes = writeOperations(db, this.#changes)
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#savepoint = db.prepare('SAVEPOINT operation')
    this.#release = db.prepare('RELEASE operation')
    this.#undo = db.prepare('ROLLBACK TO operation')
    this.#dataVersion = db.prepare('PRAGMA data_version')
    this.#accountsVersion = db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
    this.#seenData = this.#readDataVersion()
    this.#seenAccounts = this.#readAccountsVersion()
  }

  run(calls: readonly Call<Writes>[]): { outcomes: Outcome[]; changed: Changed; commits: number } {
    this.#changes.clear()
    let foreign = UNCHANGED
    try {
      this.#begin.run()
      this.#writes.begin()
      foreign = this.look()
      const outcomes = calls.map((call) => this.#operation(call))
      this.#commit.run()
      const accounts = this.#changes.accounts || foreign.accounts
      if (this.#changes.accounts) this.#seenAccounts = this.#readAccountsVersion()
      return { outcomes, changed: { accounts, queue: this.#changes.queue || foreign.queue }, commits: 1 }
    } catch (error) {
      this.#writes.forget()
      const outcome = { fault: faultOf(this.#giveUp(error)) }
      return { outcomes: calls.map(() => outcome), changed: foreign, commits: 0 }
    }
  }

  /** What other processes have changed since the last look. Cheap: reads a counter in shared memory. */
  look(): Changed {
    const version = this.#readDataVersion()
    if (version === this.#seenData) return UNCHANGED
    this.#seenData = version
    this.#writes.forget()
    const accounts = this.#readAccountsVersion()
    const changed = { accounts: accounts !== this.#seenAccounts, queue: true }
    this.#seenAccounts = accounts
    return changed
  }

  #operation(call: Call<Writes>): Outcome {
    this.#savepoint.run()
    try {
      const operation = this.#writes.operations[call.name] as (...args: unknown[]) => unknown
      const value = operation(...call.args)
      this.#release.run()
      return { value }
    } catch (error) {
      if (isFault(error) || !this.#db.isTransaction) throw error
      this.#undo.run()
      this.#release.run()
      this.#writes.forget()
      return { fault: faultOf(error) }
    }
  }

  #giveUp(error: unknown): Error {
    try {
      if (this.#db.isTransaction) this.#rollback.run()
    } catch (rollback) {
      return new StoreUnavailable(
        `${asStoreError(error, this.#path).message}; undoing it failed: ${rollback}`,
      )
    }
    return asStoreError(error, this.#path)
  }

  #readDataVersion(): number {
    return one<{ data_version: number }>(this.#dataVersion)!.data_version
  }

  #readAccountsVersion(): number {
    return one<{ value: number }>(this.#accountsVersion)!.value
  }
}
