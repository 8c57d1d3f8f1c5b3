/** Mail that waits although it should not. */
import { siteKeyOf } from '../../delivery/path/path.ts'
import type { ClosedPath, SiteState } from '../../store/store.ts'
import { presentSites } from '../sites.ts'
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, problem, warning } from './check.ts'

const MINUTE = 60_000
/** Ms after which due mail that nobody attempts is late, and after which it is a problem. */
const LATE_MS = 10 * MINUTE
export const TOO_LATE_MS = 60 * MINUTE
/** Closed paths that are named. */
const MOST_NAMED = 5

/** Paused mail does not count. */
export function oldestMailCheck({ store, now }: Operation): PlannedCheck {
  return {
    id: 'oldest-mail',
    title: 'Oldest due mail',
    async run() {
      const dueAt = await store.oldestDue()
      const age = dueAt === null ? 0 : now() - dueAt
      if (age < LATE_MS) return ok('All due mail is attempted in time.')
      const found = `Mail has been due for ${minutes(age)} and is not attempted.`
      const advice = 'Check that a delivery node runs (postroad node list), and its log.'
      return age < TOO_LATE_MS ? warning(found, advice) : problem(found, advice)
    },
  }
}

/** Closures that are about this service: a site that is down or busy is one of many, and opens by itself. */
const REFUSALS: ReadonlySet<string> = new Set(['path', 'credentials', 'sender'])

export function heldMailCheck(op: Operation): PlannedCheck {
  return {
    id: 'held-mail',
    title: 'Closed paths',
    async run() {
      const [paths, sites] = [await op.store.sharedPaths(), await presentSites(op)]
      const refusals = paths.flatMap(({ state: { closed } }) =>
        closed !== null && REFUSALS.has(closed.kind) ? refusalSentence(op, closed, sites) : [],
      )
      // The servers of a large provider are hardly all down: more likely this machine does not reach them.
      const unreachable = [...sites.values()].flatMap((site) =>
        site.provider !== null && site.closed?.kind === 'unreachable'
          ? `Mail servers of ${site.provider} cannot be reached: ${site.closed.reason}.`
          : [],
      )
      const found = [...refusals, ...unreachable]
      if (found.length === 0) return ok('No server or relay refuses mail from here.')
      const more = found.length > MOST_NAMED ? ` There are ${found.length - MOST_NAMED} more.` : ''
      const sentences = `${found.slice(0, MOST_NAMED).join(' ')}${more}`
      const retried = 'the mail waits, and is tried again by itself (postroad queue --by site).'
      return refusals.length > 0
        ? problem(sentences, `Mend the cause that the server names; ${retried}`)
        : warning(sentences, `Check that this machine reaches them at port 25; ${retried}`)
    },
  }
}

function refusalSentence(
  { accounts }: Operation,
  { path, companyId, domainId, message, list }: ClosedPath,
  sites: ReadonlyMap<string, SiteState>,
): string {
  const key = siteKeyOf(path)
  const domain = accounts.domains.find(({ id }) => id === domainId)?.name ?? 'a removed domain'
  const company = accounts.companies.find(({ id }) => id === companyId)?.name ?? 'a removed company'
  const whose =
    domainId !== null ? ` from ${domain}` : companyId !== null ? ` from the company ${company}` : ''
  const listed = list === null ? '' : ` (${list.name}; removal: ${list.removal})`
  return `${sites.get(key)?.name ?? nameIn(key)} refuses mail${whose}: ${message}${listed}.`
}

/** `relay:smtp.example.com:587` is `smtp.example.com`, and the servers of a site have no other name. */
function nameIn(siteKey: string): string {
  return /^relay:(.+):\d+$/.exec(siteKey)?.[1] ?? siteKey.replace(/^\w+:/, '')
}

export function quarantineCheck({ store, now }: Operation): PlannedCheck {
  return {
    id: 'quarantine',
    title: 'Quarantine',
    async run() {
      const { quarantined } = await store.counts(now())
      if (quarantined === 0) return ok('No mail is in quarantine.')
      const found = `${quarantined} ${quarantined === 1 ? 'recipient is' : 'recipients are'} in quarantine.`
      return warning(found, 'Read the reasons (postroad queue quarantine), then release or cancel the mail.')
    },
  }
}

function minutes(ms: number): string {
  const whole = Math.floor(ms / MINUTE)
  return whole < 120 ? `${whole} minutes` : `${Math.floor(whole / 60)} hours`
}
