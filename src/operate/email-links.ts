/** Checks the links of a message on demand, with one request for each. */
import { CompanyPlaces } from '../common/company-places.ts'
import { NoAnswer, NotAUrl, type Outgoing, outgoingUrl } from '../network/outgoing.ts'
import { requireEmail } from './find.ts'
import { verb } from './verb.ts'

/** Ms for each link, redirects included. */
const WITHIN = 8_000
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Simultaneous requests, for all companies together. */
const AT_ONCE = { size: 24, kept: 8, timesFree: 1 }
const places = new CompanyPlaces(AT_ONCE)

/**
 * - `answered`: the target exists.
 * - `moved`: the target exists, at another address.
 * - `missing`: its server says that it does not exist (4xx, 5xx).
 * - `refused`: this service does not connect to that address.
 * - `unreachable`: there was no answer.
 */
export interface LinkCheck {
  url: string
  outcome: 'answered' | 'moved' | 'missing' | 'refused' | 'unreachable'
  status: number | null
  /** A sentence without a final full stop. */
  detail: string
}

/**
 * Requires the right to manage, because following a link may trigger an action. The requests use HEAD, which is defined
 * as safe (RFC 9110 9.2.1). The results are in the order of `urls`.
 */
export const checkLinks = verb(
  'manage',
  async (op, { id, urls }: { id: string; urls: readonly string[] }): Promise<LinkCheck[]> => {
    await requireEmail(op, id)
    const { companyId } = (await op.store.emailOrigin(id))!
    const outgoing = op.outgoing({ connections: 2 })
    try {
      return await Promise.all(
        urls.map(async (url) => {
          const done = await places.take(companyId)
          try {
            return await reach(outgoing, url)
          } finally {
            done()
          }
        }),
      )
    } finally {
      await outgoing.close()
    }
  },
  null,
)

async function reach(outgoing: Outgoing, text: string): Promise<LinkCheck> {
  const until = performance.now() + WITHIN
  try {
    let url = outgoingUrl(text)
    for (let moves = 0; moves <= MAX_REDIRECTS; moves++) {
      const { status, headers } = await outgoing.ask({
        method: 'HEAD',
        url,
        headers: { accept: '*/*', 'user-agent': 'Postroad' },
        timeoutMs: Math.max(1, Math.floor(until - performance.now())),
        maxOctets: 0,
      })
      const { location } = headers
      if (!REDIRECTS.has(status) || location === undefined) return answered(text, url, status, moves)
      url = outgoingUrl(new URL(location, url).href)
    }
    return { url: text, outcome: 'missing', status: null, detail: 'it has too many redirects' }
  } catch (error) {
    if (error instanceof NotAUrl) {
      return { url: text, outcome: 'refused', status: null, detail: `the address ${error.message}` }
    }
    if (!(error instanceof NoAnswer)) throw error
    const outcome = error.kind === 'refused' ? 'refused' : 'unreachable'
    return { url: text, outcome, status: null, detail: error.message }
  }
}

/** Statuses of servers that do not support HEAD or that require authentication: the target counts as existing. */
const THERE_ALL_THE_SAME = new Set([401, 403, 405, 429, 501])

function answered(text: string, { href }: URL, status: number, moves: number): LinkCheck {
  if (THERE_ALL_THE_SAME.has(status)) {
    const detail = `its server answered with status ${status}, which does not tell whether the page exists`
    return { url: text, outcome: 'answered', status, detail }
  }
  if (status >= 400) {
    return { url: text, outcome: 'missing', status, detail: `its server answered with status ${status}` }
  }
  if (moves > 0)
    return { url: text, outcome: 'moved', status, detail: `it redirects to ${href.slice(0, 500)}` }
  return { url: text, outcome: 'answered', status, detail: 'it exists' }
}
