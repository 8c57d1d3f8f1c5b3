/** The reason that a client gets for a thrown value, and the log entry for the operator. */
import type { Logger } from 'pino'
import { LogThrottle } from '../common/log-throttle.ts'
import { SearchesBusy } from '../events/search-turns.ts'
import { Refusal } from '../intake/refusal.ts'
import { OperateError } from '../operate/error.ts'
import { StoreUnavailable } from '../store/store.ts'
import { WorkerDied, WorkersBusy } from '../workers/error.ts'
import { type Advice, adviceOn } from './advice.ts'
import { type AnyReason, ClientGone, Fault } from './fault.ts'

/** A request as the log identifies it. `method`: the HTTP method, or SMTP. */
export interface RequestLabel {
  id: string
  method: string
}

/** The same problem is logged once in this many milliseconds: during an outage it affects every request. */
const LOG_EVERY_MS = 1_000

export class Reasons {
  /** Called when a request finds that the service cannot accept anything now. */
  onUnavailable: () => void = () => {}
  readonly #log: Logger
  readonly #throttles = new Map<string, LogThrottle>()

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * The reason to give the client for a thrown value. A value that is not a known refusal is logged, and becomes
   * `internal`.
   */
  reasonOf(error: unknown, request: RequestLabel): AnyReason {
    if (error instanceof Fault || error instanceof Refusal) {
      if (error.reason.code === 'unavailable') {
        this.onUnavailable()
        this.#tell('cannot accept mail now', error.reason.detail, { err: error }, request)
        if (isReading(request)) return { ...error.reason, of: 'reading' }
      }
      if (error.reason.code === 'key_elsewhere') {
        // The key's holder has moved, or the key is in the wrong hands.
        const { keyId, address } = error.reason
        this.#tell(
          'a key was used from an address that it does not allow',
          keyId,
          { keyId, address },
          request,
        )
      }
      // Over SMTP the reply contains the advice.
      if (request.method !== 'SMTP') this.#advise(error.reason, request)
      return error.reason
    }
    if (error instanceof StoreUnavailable) return this.#unavailable(error, request)
    if (error instanceof OperateError) {
      const { code, about, message } = error
      if (code === 'unavailable') return this.#unavailable(error, request)
      if (code !== 'damaged') return { code: 'operation_refused', why: code, about, detail: message }
    }
    if (error instanceof SearchesBusy) {
      return { code: 'too_much_under_way', retryAfter: error.retryAfter }
    }
    if (error instanceof WorkersBusy) return { code: 'overloaded', retryAfter: error.retryAfter }
    if (error instanceof WorkerDied) {
      const { cause } = error
      this.#log.warn({ requestId: request.id, method: request.method, cause }, 'a request crashed a worker')
      return cause === 'crash' ? { code: 'overloaded', retryAfter: 2 } : { code: 'too_complex', cause }
    }
    if (error instanceof ClientGone) {
      return { code: 'http_malformed', status: 408, detail: 'The request is incomplete.' }
    }
    this.#log.error({ requestId: request.id, method: request.method, err: error }, 'a request failed')
    return { code: 'internal', requestId: request.id }
  }

  /** Logs advice for the operator on an application whose request was refused. */
  advise(advice: Advice, request: Pick<RequestLabel, 'id'>): void {
    this.#tell('an application was refused', advice.why, advice, request)
  }

  #advise(reason: AnyReason, request: RequestLabel): void {
    const advice = adviceOn(reason)
    if (advice !== null) this.advise(advice, request)
  }

  #unavailable(error: Error, request: RequestLabel): AnyReason {
    this.onUnavailable()
    const detail = 'the database is unavailable'
    this.#tell('the database does not answer', detail, { err: error }, request)
    return { code: 'unavailable', of: isReading(request) ? 'reading' : 'writing', retryAfter: 5, detail }
  }

  #tell(message: string, problem: string, facts: object, request: Pick<RequestLabel, 'id'>): void {
    let throttle = this.#throttles.get(problem)
    if (throttle === undefined) {
      throttle = new LogThrottle(LOG_EVERY_MS)
      this.#throttles.set(problem, throttle)
    }
    const others = throttle.due()
    if (others === null) return
    this.#log.warn({ requestId: request.id, ...facts, ...(others > 0 && { others }) }, message)
  }
}

function isReading({ method }: RequestLabel): boolean {
  return method === 'GET' || method === 'HEAD'
}
