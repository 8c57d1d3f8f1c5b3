/**
 * Notes the present work of a thread, for the monitor of stalls. Each thread has an instance of its own. On a thread
 * without a monitor a note costs one reading of the clock.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Describes a piece of work for the log: its id, company, octets. The function is called only when the work is logged.
 */
export type Describe<Subject> = (subject: Subject) => object

interface WorkRecord {
  describe: Describe<never> | null
  subject: unknown
  /** The start of the work in monotonic ms, and its duration in ms. */
  at: number
  ms: number
}

/** A request under way. Once the request is over, both fields are null. */
type RequestWork = Pick<WorkRecord, 'describe' | 'subject'>

const request = new AsyncLocalStorage<RequestWork>()

class PresentWork {
  /** This object is reused for each note, so that a note costs nothing. */
  #current: WorkRecord = { describe: null, subject: null, at: 0, ms: 0 }
  /** The longest work in this turn of the event loop. */
  #longest: WorkRecord = { describe: null, subject: null, at: 0, ms: 0 }

  /** Notes that the thread works on `subject` from now on, until another note or the end of the turn. */
  on<Subject>(describe: Describe<Subject>, subject: Subject): void {
    const now = performance.now()
    this.#close(now)
    const current = this.#current
    current.describe = describe as Describe<never>
    current.subject = subject
    current.at = now
  }

  /**
   * Begins the work on a request. When an answer of a thread or database continues the request, that work is noted as
   * work on the request, too.
   */
  begin<Subject>(describe: Describe<Subject>, subject: Subject, work: () => void): RequestWork {
    const begun: RequestWork = { describe: describe as Describe<never>, subject }
    this.on(describe, subject)
    request.run(begun, work)
    return begun
  }

  /**
   * Ends the work on a request. Timers and threads that the request started may outlive the request, and no longer work
   * for it.
   */
  finish(begun: RequestWork): void {
    begun.describe = null
    begun.subject = null
  }

  /** Wraps an answer of another thread or of a database, with which the request continues. */
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

  /** Called before the thread waits for events. */
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
