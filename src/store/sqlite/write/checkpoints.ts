import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SupervisedThread } from '../../../threads/supervised-thread.ts'
import { one } from '../rows.ts'

/** Pages in the log that are not in the database yet, from which on the checkpointer is set to work. */
const START = 500
/** Pages in the log from which on it is to start over at its beginning. */
const RESTART = 2_000
/** What the writer may copy itself, between two commits, so that the log can start over. Pages. */
const SMALL_GAP = 150
/** Rounds of the checkpointer spent on making the gap small. */
const ROUNDS = 4

interface LogState {
  /** Pages in the log. */
  log: number
  /** Of these, pages that are in the database already. */
  checkpointed: number
}

/**
 * Keeps the write-ahead log short without holding up commits. Copying pages into the database and syncing it takes tens
 * of milliseconds, so it is done by a thread of its own while commits go on. Under steady load some pages are always
 * left over; when the log has grown long, the writer copies those few itself, and the log starts over.
 */
export class Checkpoints {
  readonly #state: StatementSync
  readonly #finish: StatementSync
  readonly #thread: SupervisedThread<'copy', unknown>
  #busy = false
  #rounds = 0

  constructor(db: DatabaseSync, path: string) {
    db.exec('PRAGMA wal_autocheckpoint = 0')
    this.#state = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#finish = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    const module = new URL('../checkpointer.ts', import.meta.url)
    this.#thread = new SupervisedThread(
      { module, name: 'checkpointer', workerData: { path } },
      {
        message: () => this.#copied(),
        ended: () => {
          this.#busy = false
        },
      },
    )
  }

  /** To be called between transactions. */
  look(): void {
    if (this.#busy) return
    const { log, checkpointed } = one<LogState>(this.#state)!
    if (log - checkpointed >= START) this.#copy()
  }

  /**
   * Copies what is left over. After a failed commit, too: on a full disk, a log that starts over makes room for small
   * writes.
   */
  relieve(): void {
    try {
      this.#finish.get()
    } catch {
      // The disk is in trouble, and commits tell of it; the pages stay in the log, which is as safe.
    }
  }

  #copy(): void {
    this.#busy = true
    this.#thread.post('copy')
  }

  #copied(): void {
    this.#busy = false
    const { log, checkpointed } = one<LogState>(this.#state)!
    if (log < RESTART) {
      this.#rounds = 0
    } else if (log - checkpointed > SMALL_GAP && this.#rounds < ROUNDS) {
      this.#rounds++
      this.#copy()
    } else {
      this.#rounds = 0
      this.relieve()
    }
  }
}
