/** The list of emails. */
import { isEmailId } from '../../../email/email-id.ts'
import { EVENT_TYPES, type EventType, tagFilterOf } from '../../../email/event.ts'
import type { FoundEmails } from '../../../events/find-emails.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { authorise } from '../../../operate/authority.ts'
import { filterOfField, parseEmailQuery } from '../../../operate/email-query.ts'
import type { EmailSearch } from '../../../operate/email-search.ts'
import { countEmails, findEmail, searchEmails } from '../../../operate/emails.ts'
import { OperateError } from '../../../operate/error.ts'
import { domainName } from '../../../operate/find.ts'
import { listedClosures } from '../../../operate/listed-status.ts'
import type { Clock } from '../../../operate/parse-time.ts'
import { STATUS_FILTERS, type StatusFilter, statusFilterNamed } from '../../../operate/status-word.ts'
import type { Operation } from '../../../operate/verb.ts'
import { BEGINNING, snippetOf } from '../../shown-emails/snippet.ts'
import type { EMAIL_LIST_ROUTES } from '../contract/emails.ts'
import type { PartOf } from '../contract/route.ts'
import type { Handlers } from '../handlers.ts'
import { emailRows, unclippedEmail } from './email-row.ts'

/** Emails whose snippets one request reads, and octets of memory for each. */
const MAX_SNIPPETS = 25
const SNIPPET_ROOM = 4 * BEGINNING
/** Emails whose reasons one request reads. */
const MAX_REASONS = 100
/** Emails that one request reads unclipped, and octets of their summaries: a later request reads the rest. */
const MAX_UNCLIPPED = 100
const UNCLIPPED_OCTETS = 256 * 1024

function idsIn({ ids }: { ids: string }, most: number): string[] {
  const named = ids.split(',')
  if (named.length > most) throw invalidField('ids', `it can name at most ${most} emails`)
  return named
}

type EmailListQuery = PartOf<'query', (typeof EMAIL_LIST_ROUTES)['GET /companies/:company/emails']>

type EmailFilters = PartOf<'query', (typeof EMAIL_LIST_ROUTES)['GET /companies/:company/emails/count']>

/** A query names an email by its id, or is a search. `company`: that of the path; null: all. */
function searchIn(
  op: Operation,
  query: EmailFilters,
  company: string | null,
  typing = false,
): { kind: 'email'; id: string; company?: string } | { kind: 'search'; search: EmailSearch } {
  const of = company === null ? {} : { company }
  const chosen = emailSearchOf(query)
  if (query.q === undefined) return { kind: 'search', search: { ...chosen, ...of } }
  const typed = parseEmailQuery(query.q, clockOf(op, query), { typing })
  if (typed.kind === 'email') return { ...typed, ...of }
  const twice = Object.keys(typed.search).find((name) => name in chosen || name in of)
  if (twice !== undefined)
    throw invalidField('q', `"${filterOfField(twice)}:" is also set beside the search; remove one of the two`)
  return { kind: 'search', search: { ...typed.search, ...chosen, ...of } }
}

/** Why a query that is still being typed would be refused if it stayed as it is; null: it would not be refused. */
function unfinishedIn(op: Operation, query: EmailListQuery): string | null {
  if (query.q === undefined || !query.typing) return null
  try {
    parseEmailQuery(query.q, clockOf(op, query))
    return null
  } catch (error) {
    if (error instanceof OperateError) return error.message
    throw error
  }
}

function clockOf(op: Operation, { zone }: EmailFilters): Clock {
  return { now: op.now(), timeZone: zoneOf(zone) }
}

async function findEmailPage(
  op: Operation,
  query: EmailListQuery,
  company: string | null,
  page: { before: string | undefined; limit: number },
): Promise<Omit<FoundEmails, 'complete'>> {
  const found = searchIn(op, query, company, query.typing)
  if (found.kind === 'search') return await searchEmails(op, { ...found.search, ...page })
  const email = await findEmail(op, found)
  return { emails: email === null ? [] : [email], next: null, words: new Map(), texts: null }
}

function zoneOf(zone = 'UTC'): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    throw invalidField('zone', 'it must be a time zone of the IANA database, such as `Europe/Berlin`')
  }
}

function cursorOf(text: string | undefined): string | undefined {
  if (text === undefined || isEmailId(text)) return text
  throw invalidField('cursor', 'it must be the value of `next` from the previous page')
}

/** The filters chosen in addition to the typed query. */
function emailSearchOf({
  domain,
  event,
  status,
  tag,
  key,
  from,
  to,
  toDomain,
  subject,
  since,
  until,
}: EmailFilters): EmailSearch {
  return {
    ...(domain !== undefined && { domain }),
    ...(key !== undefined && { key }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(toDomain !== undefined && { toDomain: domainName(toDomain) }),
    ...(subject !== undefined && { subject }),
    ...(tag !== undefined && { tag: tagFilterOf(tag) }),
    ...(event !== undefined && { hadEvents: eventsOf(event) }),
    ...(status !== undefined && { statuses: statusesOf(status) }),
    ...(since !== undefined && { since: timeOf('since', since) }),
    ...(until !== undefined && { until: timeOf('until', until) }),
  }
}

function eventsOf(text: string): EventType[] {
  return text.split(',').map((part) => {
    const found = EVENT_TYPES.find((type) => type === part.trim())
    if (found !== undefined) return found
    throw invalidField('event', `it must be one of ${EVENT_TYPES.join(', ')}`)
  })
}

function statusesOf(text: string): StatusFilter[] {
  return text.split(',').map((part) => {
    const found = statusFilterNamed(part.trim())
    if (found !== null) return found
    throw invalidField('status', `it must be one of ${STATUS_FILTERS.join(', ')}`)
  })
}

function timeOf(field: string, text: string): number {
  const at = Date.parse(text)
  if (Number.isFinite(at)) return at
  throw invalidField(field, 'it must be an ISO 8601 time')
}

export const emailListHandlers: Handlers<typeof EMAIL_LIST_ROUTES> = {
  'GET /companies/:company/emails': async ({ op, company, query }, core) => {
    const { store } = core.deps
    const { limit = 60 } = query
    // Taken before the list is read: changes in between are sent again, and none is missed.
    const cursor = await store.settledEventNumber()
    const before = cursorOf(query.cursor)
    const { emails: page, next, words, texts } = await findEmailPage(op, query, company, { before, limit })
    const now = op.now()
    const recipientCounts = new Map(
      (
        await store.recipientCounts(
          page.map(({ id }) => id),
          now,
        )
      ).map((counts) => [counts.id, counts]),
    )
    const listed = page.map((email) => ({ email, counts: recipientCounts.get(email.id) ?? null }))
    const closedFor = await listedClosures(() => op, listed)
    const emails = emailRows(core.deps, listed, closedFor, now)
    const found = [...words].map(([id, where]) => ({ id, ...where }))
    return { emails, next, unfinished: unfinishedIn(op, query), cursor, words: found, texts }
  },

  'GET /companies/:company/emails/count': async ({ op, company, query }) => {
    const found = searchIn(op, query, company)
    if (found.kind === 'search') return await countEmails(op, found.search)
    const email = await findEmail(op, found)
    return { count: email === null ? 0 : 1, more: false }
  },

  'GET /companies/:company/emails/snippets': async ({ op, company, query, request }, core) => {
    authorise(op.caller, 'read')
    const ids = idsIn(query, MAX_SNIPPETS)
    await core.admission.reserve(request.raw, ids.length * SNIPPET_ROOM)
    const beginnings = await core.deps.store.readBeginnings(ids, company, BEGINNING)
    return { snippets: beginnings.map(snippetOf) }
  },

  'GET /companies/:company/emails/reasons': async ({ op, company, query }, { deps }) => {
    authorise(op.caller, 'read')
    return { reasons: await deps.store.readReasons(idsIn(query, MAX_REASONS), company) }
  },

  'GET /companies/:company/emails/unclipped': async ({ op, company, query }) => {
    authorise(op.caller, 'read')
    const found = await op.store.summaries(idsIn(query, MAX_UNCLIPPED), UNCLIPPED_OCTETS)
    const visible = found.filter(({ companyId }) => company === null || companyId === company)
    return { emails: visible.map(unclippedEmail) }
  },
}
