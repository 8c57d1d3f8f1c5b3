/** Mail that waits although it should not. */
import { siteKeyOf } from '../../delivery/path/path.ts'
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
      const paths = await op.store.sharedPaths()
      const closed = paths.flatMap(({ state }) =>
        state.closed !== null && REFUSALS.has(state.closed.kind) ? [state.closed] : [],
      )
      if (closed.length === 0) return ok('No server or relay refuses all mail from here.')
      const sites = await presentSites(op)
      const sentences = closed.slice(0, MOST_NAMED).map(({ path, domainId, message, list }) => {
        const key = siteKeyOf(path)
        const domain = op.accounts.domains.find(({ id }) => id === domainId)?.name
        const whose = domainId === null ? '' : ` from ${domain ?? 'a removed domain'}`
        const listed = list === null ? '' : ` (${list.name}; removal: ${list.removal})`
        return `${sites.get(key)?.name ?? nameIn(key)} refuses mail${whose}: ${message}${listed}.`
      })
      const more = closed.length > MOST_NAMED ? ` So do ${closed.length - MOST_NAMED} more.` : ''
      return problem(
        `${sentences.join(' ')}${more}`,
        'Mend the cause that the server names; the mail waits, and is tried again by itself (postroad queue --by site).',
      )
    },
  }
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
