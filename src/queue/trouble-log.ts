import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import { RecentEntries } from '../common/recent-entries.ts'
import type { TroubleReport } from '../delivery/delivery.ts'
import { DEFAULT_ROUTE, type Path } from '../delivery/path/path.ts'
import type { PathPart } from './path-part.ts'

/** How often the same trouble is logged again. */
const LOG_MS = 10 * 60_000
/** Parts whose log throttle is remembered, because their limits come and go; the part met longest ago is forgotten. */
const MAX_THROTTLES = 1_000
/** The shortest time between two troubles logged in detail, of all paths together. */
const LOG_ANY_MS = 1_000

interface TroubleLogParts {
  /** Names for people, of a sending domain and of a company. */
  domainName(id: string): string
  companyName(id: string): string
  log: Log
}

/** Tells the operator of closed paths. */
export class TroubleLog {
  readonly #parts: TroubleLogParts
  /** Throttles by part and kind of trouble. */
  readonly #throttles = new RecentEntries<LogThrottle>(MAX_THROTTLES)
  readonly #throttleOfAll = new LogThrottle(LOG_ANY_MS)

  constructor(parts: TroubleLogParts) {
    this.#parts = parts
  }

  /** True when it was logged, so that its end is to be logged too. */
  closed(part: PathPart, path: Path, report: TroubleReport): boolean {
    const { kind, message, list } = report
    const { site, policy } = path
    const relay = site.kind === 'relay'
    // Servers of recipient domains that are down are no reason to alert the operator, but those of a provider are.
    if (kind === 'unreachable' && !relay && site.provider === null) return false
    // A proxy fails mail to all sites, and is named once.
    const throttleKey = reportKey(kind === 'source' ? path.source.name : part.key, kind)
    const throttle = this.#throttles.get(throttleKey) ?? new LogThrottle(LOG_MS)
    this.#throttles.set(throttleKey, throttle)
    if (throttle.due() === null) return false
    if (this.#throttleOfAll.due() === null) {
      // Not logged after all, so the next refusal may be.
      throttle.reset()
      return false
    }
    const { log } = this.#parts
    if (kind === 'source') {
      const line = `${message}. Mail leaves from other source addresses, or waits without using up attempts.`
      log.error({ source: path.source.name, kind }, line)
      return true
    }
    const own = policy.id !== DEFAULT_ROUTE
    const who = relay ? (own ? `The relay ${site.name}` : 'The relay') : `The mail servers of ${site.name}`
    const what = kind === 'busy' ? 'no more mail for now' : 'no mail'
    const advice =
      relay && kind !== 'busy' && kind !== 'sender'
        ? ` Check ${own ? 'its route' : 'POSTROAD_DELIVERY'} (host, port, tls, user, password).`
        : ''
    const listed =
      list === undefined
        ? ''
        : ` The address is on the block list of ${list.name}; ask for removal: ${list.removal}.`
    const { name: source, addresses } = path.source
    const leaving = addresses === undefined ? '' : ` (source address ${source})`
    const line = `${who} ${relay ? 'accepts' : 'accept'} ${what}${this.#whose(part)}${leaving}: ${message}. Mail waits without using up attempts, and is retried.${listed}${advice}`
    const { companyId } = part
    const fields = {
      site: site.name,
      kind,
      source,
      ...(companyId !== null && { companyId }),
      ...(list !== undefined && { list: list.name }),
    }
    if (kind === 'busy' || (kind === 'unreachable' && !relay)) log.warn(fields, line)
    else log.error(fields, line)
    return true
  }

  opened(
    { key }: Pick<PathPart, 'key'>,
    { site, source }: Path,
    kind: TroubleReport['kind'],
    wasLogged: boolean,
  ): void {
    if (wasLogged) {
      const fields = { site: site.name, source: source.name }
      this.#parts.log.info(fields, 'The path is open again; the waiting mail is sent now')
    }
    // A provider's limit is reached again and again; any other trouble is news.
    if (kind !== 'busy') this.#throttles.delete(reportKey(key, kind))
  }

  #whose({ companyId, domainId, to }: PathPart): string {
    const { domainName, companyName } = this.#parts
    if (companyId === null) return ''
    const from = domainId === null ? `the company ${companyName(companyId)}` : domainName(domainId)
    return to === null ? ` from ${from}` : ` from ${from} to ${to}`
  }
}

function reportKey(part: string, kind: TroubleReport['kind']): string {
  return `${part}\0${kind}`
}
