/**
 * Notes the present work of a thread, for the monitor of stalls. Each thread has an instance of its own. On a thread
 * without a monitor a note costs one reading of the clock.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Describes a piece of work for the log: its id, company, octets. Called only when the work is logged. */
export type Describe<Subject> = (subject: Subject) => object

interface WorkRecord {
  describe: Describe<never> | null
  subject: unknown
  /** Monotonic ms of its start, and its duration. */
  at: number
  ms: number
}

/** A request under way; without a subject once it is over. */
export type RequestWork = Pick<WorkRecord, 'describe' | 'subject'>

const request = new AsyncLocalStorage<RequestWork>()

class PresentWork {
  /** Reused for each note: a note must cost nothing. */
  #current: WorkRecord = { describe: null, subject: null, at: 0, ms: 0 }
  /** The longest work in this turn of the event loop. */
  #longest: WorkRecord = { describe: null, subject: null, at: 0, ms: 0 }

  /** From now on the thread works on this, until another note or the end of its turn. */
  on<Subject>(describe: Describe<Subject>, subject: Subject): void {
    const now = performance.now()
    this.#close(now)
    const current = this.#current
    current.describe = describe as Describe<never>
    current.subject = subject
    current.at = now
  }

  /** Begins the work on a request: work on the answers of threads and databases to it is noted under its name, too. */
  begin<Subject>(describe: Describe<Subject>, subject: Subject, work: () => void): RequestWork {
    const begun: RequestWork = { describe: describe as Describe<never>, subject }
    this.on(describe, subject)
    request.run(begun, work)
    return begun
  }

  /** Timers and threads that the request started outlive it, and no longer work for it. */
  finish(begun: RequestWork): void {
    begun.describe = null
    begun.subject = null
  }

  /** An answer of another thread or of a database, with which the request continues. */
  answer<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const wanted = request.getStore()
    if (wanted === undefined) return answer
    return answer.then((value) => {
      if (wanted.describe !== null) this.on(wanted.describe as Describe<unknown>, wanted.subject)
      return value
    })
  }

  /** The longest work of this turn so far, and its ms; null: nothing was noted. */
  longest(): { work: object; ms: number } | null {
    this.#close(performance.now())
    const { describe, subject, ms } = this.#longest
    return describe === null ? null : { work: describe(subject as never), ms }
  }

  /** The thread goes on to wait for events. */
  endTurn(): void {
    // A finished request must not stay in memory.
    for (const work of [this.#current, this.#longest]) {
      work.describe = null
      work.subject = null
      work.ms = 0
    }
  }

  /** Ends the current work, and keeps it if it is the longest. */
  #close(now: number): void {
    const ended = this.#current
    if (ended.describe === null) return
    ended.ms = now - ended.at
    if (ended.ms < this.#longest.ms) return
    this.#current = this.#longest
    this.#longest = ended
    this.#current.describe = null
  }
}

export const presentWork = new PresentWork()
