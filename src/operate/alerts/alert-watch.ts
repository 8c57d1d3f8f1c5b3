/**
 * Makes the checks of the doctor again and again, for as long as the service runs, keeps the problems that they find,
 * and has them announced. One node checks: the first one that delivers, because what it finds is what its mail meets.
 * While no node delivers, the first node of any kind takes its place.
 */
import { acceptsMail } from '../../accounts/sending.ts'
import { type NewCompanyEvent, problemChanged } from '../../email/company-event.ts'
import type { Alert, NewAlert } from '../../store/store.ts'
import { type DoctorCheck, kindOfCheck } from '../doctor/check.ts'
import { runChecks } from '../doctor/examine.ts'
import type { Operation } from '../verb.ts'
import { companyOfCheck, domainOfAlert } from './alert-domain.ts'
import type { Announcer } from './announcer.ts'
import { companyProblemOf, companyProblems } from './company-problems.ts'

export interface AlertWatchParts {
  operation(): Operation
  /** The token of this node; null while it has none. */
  token(): number | null
  /** Whether this node delivers. */
  delivers: boolean
  /** Whether this node has a way to send alerts. A node that delivers does without: its log tells, too. */
  hasChannel: boolean
  /** Ms without a node that delivers before another node checks: a restart is no problem. */
  patienceMs: number
  announcer: Pick<Announcer, 'look' | 'stop'>
  /** A problem has begun, or is over. */
  onChange(alert: NewAlert, isOver: boolean): void
  onFault(error: unknown): void
}

/** Ms between two looks for something to announce. */
const ROUND_MS = 5_000
/** Rounds between two checks of what this machine and the store know, and of what others have to be asked for. */
const NEAR_ROUNDS = 60
const FAR_ROUNDS = 720

interface WatchRole {
  /** This node is the one that checks. */
  isFirst: boolean
  /** Some node delivers. */
  isAnyDelivering: boolean
}

export class AlertWatch {
  readonly #parts: AlertWatchParts
  #timer: NodeJS.Timeout | undefined
  /** Below 0 while a node that does not deliver waits for one that does. */
  #rounds: number
  #stopped = false

  constructor(parts: AlertWatchParts) {
    this.#parts = parts
    this.#rounds = parts.delivers ? 0 : this.#patience
  }

  get #patience(): number {
    return -Math.ceil(this.#parts.patienceMs / ROUND_MS)
  }

  start(): void {
    this.#timer = setTimeout(async () => {
      await this.#round()
      if (!this.#stopped) this.start()
    }, ROUND_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#parts.announcer.stop()
  }

  async #round(): Promise<void> {
    const { delivers, hasChannel, announcer } = this.#parts
    try {
      const { isFirst, isAnyDelivering } = await this.#role()
      if (isAnyDelivering && !delivers) this.#rounds = this.#patience
      const round = this.#rounds++
      const isNear = round >= 0 && round % NEAR_ROUNDS === 0
      // A node that sends no mail learns nothing from port 25, DNS or block lists.
      if (isNear && isFirst) await this.look({ far: delivers && round % FAR_ROUNDS === NEAR_ROUNDS })
      if (!delivers && (!hasChannel || isAnyDelivering)) return
      await announcer.look({ thorough: round % NEAR_ROUNDS === 0 })
    } catch (error) {
      if (!this.#stopped) this.#parts.onFault(error)
    }
  }

  /**
   * This node among the others. Where two think for a moment that they are the first, the store keeps each problem
   * once.
   */
  async #role(): Promise<WatchRole> {
    const { operation, token } = this.#parts
    const nodes = await operation().store.nodes()
    const delivering = nodes.filter(({ roles }) => roles.includes('delivery'))
    const own = token()
    const [first] = delivering.length > 0 ? delivering : nodes
    return {
      isFirst: own !== null && first?.token === own,
      isAnyDelivering: delivering.length > 0,
    }
  }

  /** Checks, and keeps the findings. `far`: also asks DNS, block lists and mail servers. */
  async look({ far }: { far: boolean }): Promise<void> {
    const op = this.#parts.operation()
    const [checks, ofCompanies, before] = await Promise.all([
      runChecks(op, far ? 'all' : 'near'),
      companyProblems(op, this.#parts.onFault),
      op.store.alerts(),
    ])
    const sending = op.accounts.domains.filter(acceptsMail)
    const problems = checks.filter(({ state }) => state === 'problem')
    for (const { id, title, found, advice, memberAdvice = null } of problems) {
      const companyId = companyOfCheck(id, sending)
      await this.#raise(op, { id, companyId, title, found, advice, memberAdvice })
    }
    for (const problem of ofCompanies.found) await this.#raise(op, problem)
    const found = new Set([...problems, ...ofCompanies.found].map(({ id }) => id))
    const isUnknown = (id: string) => ofCompanies.unknown.some((beginning) => id.startsWith(beginning))
    for (const alert of before) {
      const { id, endedAt } = alert
      if (endedAt !== null || found.has(id) || isUnknown(id) || !isOver(id, checks, far)) continue
      const now = op.now()
      const ended = await op.store.endAlert(id, now, eventOf(op, 'problem.ended', alert, now))
      if (ended) this.#parts.onChange(alert, true)
    }
  }

  /** Webhooks of its company get an event about it. */
  async #raise(op: Operation, alert: NewAlert): Promise<void> {
    const since = op.now()
    const event = eventOf(op, 'problem.started', { ...alert, since }, since)
    if (await op.store.raiseAlert(alert, since, event)) this.#parts.onChange(alert, false)
  }
}

/** Webhooks of a single domain get what concerns it. */
function eventOf(
  op: Operation,
  type: 'problem.started' | 'problem.ended',
  alert: NewAlert & Pick<Alert, 'since'>,
  at: number,
): NewCompanyEvent {
  const { id, title, found, memberAdvice: advice, since } = alert
  const domainId = domainOfAlert(alert, op.accounts.domains)?.id
  return problemChanged(type, { id, title, found, advice, since }, at, domainId)
}

/**
 * Whether a problem is over. A check that could not be made does not end it. A subject that no longer has a check does.
 */
function isOver(id: string, checks: readonly DoctorCheck[], far: boolean): boolean {
  if (companyProblemOf(id) !== null) return true
  const check = checks.find((each) => each.id === id)
  if (check === undefined) {
    const alike = checks.filter((each) => kindOfCheck(each.id) === kindOfCheck(id))
    return alike.length === 0 ? far : alike.some(({ state }) => state !== 'unknown')
  }
  return check.state === 'ok' || check.state === 'warning'
}
