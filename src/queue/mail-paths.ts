/** The paths that mail takes now, from all sources that it may leave from, and whether they are open. */
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Path, RoutingFields } from '../delivery/path/path.ts'
import type { PathFinder } from '../delivery/path/path-finder.ts'
import type { LaneState } from './closed-lanes.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { PathHealth } from './path-health.ts'
import type { PathMail } from './path-part.ts'
import type { SessionLimits } from './session-limits.ts'
import type { WarmUp } from './warm-up.ts'

/** The paths of a company's mail are compared only if it has no more sending domains than this. */
const MAX_SENDERS = 20
interface MailPathsParts {
  paths: Pick<PathFinder, 'findCached' | 'findKnown' | 'everyKnown'>
  accounts: Pick<AccountDirectory, 'domainsOf'>
  health: Pick<PathHealth, 'isOpen' | 'stateOf'>
  warmUp: Pick<WarmUp, 'allows'>
  sessions: Pick<SessionLimits, 'limitOf'>
  /** The company's deliveries that are ready for the path. */
  waitingFor(companyId: string, path: Path): number
}

export class MailPaths {
  readonly #paths: MailPathsParts['paths']
  readonly #accounts: MailPathsParts['accounts']
  readonly #health: MailPathsParts['health']
  readonly #warmUp: MailPathsParts['warmUp']
  readonly #sessions: MailPathsParts['sessions']
  readonly #waitingFor: MailPathsParts['waitingFor']

  constructor({ paths, accounts, health, warmUp, sessions, waitingFor }: MailPathsParts) {
    this.#paths = paths
    this.#accounts = accounts
    this.#health = health
    this.#warmUp = warmUp
    this.#sessions = sessions
    this.#waitingFor = waitingFor
  }

  /** The path of mail to this domain; null: it has to be looked up. */
  pathOf(email: RoutingFields, domain: string): Path | null {
    return this.#paths.findCached(email, domain, this.isOpenFor(email, [{ domain }]))
  }

  /** Whether all mail of the company takes the path of this route, whatever its recipients. */
  isOnly(companyId: string, path: Path): boolean {
    if (path.site.kind === 'direct') return false
    const senders = this.#sendersOf(companyId)
    return senders?.every((mail) => this.#paths.findKnown(mail, '', () => true)?.key === path.key) ?? false
  }

  /** Other nodes have all the sessions of the path, so its mail is theirs. */
  isLeft(path: Path): boolean {
    return path.source.missing === undefined && this.#sessions.limitOf(path) === 0
  }

  /** The state of the company's mail to this domain, from all its sending domains and all sources. */
  laneState(companyId: string, domain: string): LaneState {
    const now = Date.now()
    const recipients = [{ domain }]
    let state: LaneState = 'closed'
    for (const email of this.#sendersOf(companyId) ?? [null]) {
      const paths = email && this.#paths.everyKnown(email, domain)
      if (email === null || paths === null) return 'open'
      for (const path of paths) {
        const own = this.#health.stateOf({ path, email, recipients }, now)
        if (own === 'open') return own
        if (own === 'due' && this.#waitingFor(companyId, path) === 0) state = own
      }
    }
    return state
  }

  /** An email of each sending domain of the company; null: there are none, or too many to look at them. */
  #sendersOf(companyId: string): RoutingFields[] | null {
    const domains = this.#accounts.domainsOf(companyId).filter(({ sending }) => sending === 'active')
    if (domains.length === 0 || domains.length > MAX_SENDERS) return null
    return domains.map(({ id }) => ({ id: '', companyId, domainId: id, testMode: false, source: null }))
  }

  isOpenFor(email: PathMail['email'], recipients: PathMail['recipients']): (path: Path) => boolean {
    return (path) => {
      const now = Date.now()
      return this.#warmUp.allows(path, now) && this.#health.isOpen({ path, email, recipients }, now)
    }
  }

  /** An open path from another source; null: there is none. */
  otherSource({ path, email, recipients }: ReadyDelivery): Path | null {
    if (path.source.addresses === undefined) return null
    const isOpen = this.isOpenFor(email, recipients)
    const other = this.#paths.findCached(email, recipients[0]!.domain, isOpen)
    return other !== null && other.key !== path.key && isOpen(other) ? other : null
  }
}
