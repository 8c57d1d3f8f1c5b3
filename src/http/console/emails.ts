/** The list of emails. */
import { isEmailId } from '../../email/email-id.ts'
import { type EventType, LAST_EVENT_TYPES, tagFilterOf } from '../../email/event.ts'
import { invalidField } from '../../intake/refusal.ts'
import { listEmails } from '../../operate/emails.ts'
import { type Call, type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { EMAILS, EMAILS_WANTED } from './contract/emails.ts'
import { emailLine } from './email-line.ts'

const SCHEMA = {
  operationId: 'listEmails',
  summary: 'Emails of the company, newest first',
  querystring: EMAILS_WANTED,
  response: { 200: EMAILS },
} as const
type Query = Call<typeof SCHEMA, 'company'>['query']

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails',
  operation: 'console_email_list',
  access: 'company',
  schema: SCHEMA,
})(async ({ caller: { caller, company }, query }, core) => {
  const { store, accounts } = core.deps
  const { limit = 60 } = query
  // Before the list is read: what comes meanwhile is told again, and missed by nobody.
  const cursor = await store.settledEventNumber()
  const op = await currentOperationOf(core, caller)
  const before = cursorOf(query.cursor)
  const found = await listEmails(op, {
    ...wantedOf(query),
    company: company ?? undefined,
    before,
    limit: limit + 1,
  })
  const page = found.slice(0, limit)
  const standings = new Map(
    (await store.standings(page.map(({ id }) => id))).map((standing) => [standing.id, standing]),
  )
  const emails = page.map((email) => emailLine(email, standings.get(email.id) ?? null, accounts.directory))
  const next = found.length > limit ? page.at(-1)!.id : null
  return { status: 200, body: { emails, next, cursor } }
})

function cursorOf(text: string | undefined): string | undefined {
  if (text === undefined || isEmailId(text)) return text
  throw invalidField('cursor', 'it is what `next` of the page before was')
}

function wantedOf({ q, domain, event, tag, from, since, until, ...query }: Query) {
  const typed = q === undefined ? {} : q.includes('@') ? { to: q } : { subject: q }
  const { to, subject } = { ...query, ...typed }
  return {
    ...{ domain, from, to, subject },
    tag: tag === undefined ? undefined : tagFilterOf(tag),
    events: event === undefined ? undefined : eventsOf(event),
    since: since === undefined ? undefined : timeOf('since', since),
    until: until === undefined ? undefined : timeOf('until', until),
  }
}

function eventsOf(text: string): EventType[] {
  return text.split(',').map((part) => {
    const found = LAST_EVENT_TYPES.find((type) => type === part.trim())
    if (found !== undefined) return found
    throw invalidField('event', `it is one of ${LAST_EVENT_TYPES.join(', ')}`)
  })
}

function timeOf(field: string, text: string): number {
  const at = Date.parse(text)
  if (Number.isFinite(at)) return at
  throw invalidField(field, 'it is a time as ISO 8601 has it')
}

export const emailEndpoints: readonly Endpoint[] = [list]
