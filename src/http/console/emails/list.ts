/** The list of emails. */
import { isEmailId } from '../../../email/email-id.ts'
import { type EventType, LAST_EVENT_TYPES, tagFilterOf } from '../../../email/event.ts'
import type { FoundEmails } from '../../../events/find-emails.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { parseEmailQuery } from '../../../operate/email-query.ts'
import type { EmailSearch } from '../../../operate/email-search.ts'
import { findEmail, searchEmails } from '../../../operate/emails.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { EMAIL_LIST_ROUTES } from '../contract/emails.ts'
import type { PartOf } from '../contract/route.ts'
import type { Works } from '../work.ts'
import { emailRow } from './email-row.ts'

type EmailListQuery = PartOf<'query', (typeof EMAIL_LIST_ROUTES)['GET /companies/:company/emails']>

/** `company`: that of the path; null: all. */
async function findEmailPage(
  op: Operation,
  query: EmailListQuery,
  company: string | null,
  page: { before: string | undefined; limit: number },
): Promise<Pick<FoundEmails, 'emails' | 'next'>> {
  const of = company === null ? {} : { company }
  const asked = emailSearchOf(query)
  if (query.q === undefined) return await searchEmails(op, { ...asked, ...of, ...page })
  const typed = parseEmailQuery(query.q, { now: op.now(), timeZone: zoneOf(query.zone) })
  if (typed.kind === 'email') {
    const email = await findEmail(op, { ...of, id: typed.id })
    return { emails: email === null ? [] : [email], next: null }
  }
  const twice = Object.keys(typed.search).find((name) => name in asked || name in of)
  if (twice !== undefined)
    throw invalidField('q', `it repeats filters that are also set separately: ${twice}`)
  return await searchEmails(op, { ...typed.search, ...asked, ...of, ...page })
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
  tag,
  key,
  from,
  to,
  subject,
  since,
  until,
}: EmailListQuery): EmailSearch {
  return {
    ...(domain !== undefined && { domain }),
    ...(key !== undefined && { key }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(subject !== undefined && { subject }),
    ...(tag !== undefined && { tag: tagFilterOf(tag) }),
    ...(event !== undefined && { events: eventsOf(event) }),
    ...(since !== undefined && { since: timeOf('since', since) }),
    ...(until !== undefined && { until: timeOf('until', until) }),
  }
}

function eventsOf(text: string): EventType[] {
  return text.split(',').map((part) => {
    const found = LAST_EVENT_TYPES.find((type) => type === part.trim())
    if (found !== undefined) return found
    throw invalidField('event', `it must be one of ${LAST_EVENT_TYPES.join(', ')}`)
  })
}

function timeOf(field: string, text: string): number {
  const at = Date.parse(text)
  if (Number.isFinite(at)) return at
  throw invalidField(field, 'it must be an ISO 8601 time')
}

export const emailListWorks: Works<typeof EMAIL_LIST_ROUTES> = {
  'GET /companies/:company/emails': async ({ op, company, query }, core) => {
    const { store, accounts } = core.deps
    const { limit = 60 } = query
    // Taken before the list is read: changes in between are sent again, and none is missed.
    const cursor = await store.settledEventNumber()
    const before = cursorOf(query.cursor)
    const { emails: page, next } = await findEmailPage(op, query, company, { before, limit })
    const recipientCounts = new Map(
      (await store.recipientCounts(page.map(({ id }) => id))).map((counts) => [counts.id, counts]),
    )
    const emails = page.map((email) =>
      emailRow(email, recipientCounts.get(email.id) ?? null, accounts.directory),
    )
    return { emails, next, cursor }
  },
}
