import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SupervisedThread } from '../../../threads/supervised-thread.ts'
import { one } from '../rows.ts'

/** The checkpointer starts when this many pages of the log are not in the database yet. */
const START = 500
/** Pages in the log from which it should start over at its beginning. */
const RESTART = 2_000
/** Pages that the writer may copy itself, between two commits, so that the log can start over. */
const SMALL_GAP = 150
/** Rounds of the checkpointer to make the gap small. */
const ROUNDS = 4

interface LogState {
  /** Pages in the log. */
  log: number
  /** Pages of the log that are already in the database. */
  checkpointed: number
}

/**
 * Keeps the write-ahead log short without holding up commits. Copying pages into the database and syncing it takes tens
 * of milliseconds, so a thread of its own does it while commits go on. Under steady load some pages always remain; when
 * the log has grown long, the writer copies those few itself, and the log starts over.
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

  /** Must be called between transactions. */
  look(): void {
    if (this.#busy) return
    const { log, checkpointed } = one<LogState>(this.#state)!
    if (log - checkpointed >= START) this.#copy()
  }

  /**
   * Copies the remaining pages. Also called after a failed commit: on a full disk, a log that starts over makes room
   * for small writes.
   */
  relieve(): void {
    try {
      this.#finish.get()
    } catch {
      // The disk is in trouble, and commits report it; the pages stay in the log, where they are as safe.
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
