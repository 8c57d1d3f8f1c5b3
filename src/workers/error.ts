/** The reasons why a task was not done. */

/** `memory`: it took more than a worker has; `time`: longer than a task may; `crash`: anything else. */
export type DeathCause = 'memory' | 'time' | 'crash'

const SENTENCES: Record<DeathCause, string> = {
  memory: 'The job took more memory than a worker has',
  time: 'The job took longer than allowed',
  crash: 'The worker of the job crashed',
}

/**
 * The task made the worker crash or exceed its memory or time. A task that exceeded memory or time would do so again.
 */
export class WorkerDied extends Error {
  override name = 'WorkerDied'
  override readonly cause: DeathCause
  readonly detail: string

  constructor(cause: DeathCause, detail = '') {
    super(detail === '' ? SENTENCES[cause] : `${SENTENCES[cause]}: ${detail}`)
    this.cause = cause
    this.detail = detail
  }
}

/**
 * The task was not done: too many of its company wait, or it has waited too long, or the service is stopping, or the
 * worker died of another task and its input with it.
 */
export class WorkersBusy extends Error {
  override name = 'WorkersBusy'
  /** Seconds after which the caller may try again. */
  readonly retryAfter: number

  constructor(message: string, retryAfter = 2) {
    super(message)
    this.retryAfter = retryAfter
  }
}
