/** `GET /emails`: sent emails, newest first, with filters. */

import type { Static } from 'typebox'
import type { Principal } from '../../../accounts/account.ts'
import { isEmailId } from '../../../email/email-id.ts'
import { type EventType, LAST_EVENT_TYPES, tagFilterOf } from '../../../email/event.ts'
import type { EmailFilter } from '../../../email/stored-email.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { AddressError, parseDomain } from '../../../mail/address/address.ts'
import { ADDRESS, DOMAIN_NAME, LINE, PASSAGE, TIME_INPUT } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { route } from '../../route.ts'
import { listSchema, PAGE, requireOneDirection } from '../list.ts'
import { parseTime } from '../parse-time.ts'
import { emailJsonOf } from './email.ts'
import { LISTED } from './schemas.ts'

const LIST = listSchema(LISTED)
const ANSWER = {
  ...LIST,
  properties: {
    ...LIST.properties,
    next: {
      type: 'string',
      description:
        'If there is more: the value of `after` (or `before`) for the next page. It is given if the filters have no index and the emails were ' +
        'searched a few thousand at a time: such a page may have fewer emails than `limit`, or none.',
    },
  },
} as const

const QUERY = {
  type: 'object',
  required: ['limit'],
  properties: {
    ...PAGE,
    to: { ...ADDRESS, description: 'The complete address of a recipient.' },
    from: { ...LINE, description: 'A part of the sender as shown.' },
    subject: { ...PASSAGE, description: 'A part of the subject.' },
    tag: { ...LINE, description: '`name:value`, or a name or a value alone.' },
    event: { ...LINE, description: 'The `last_event`, or several separated by commas.' },
    since: {
      ...TIME_INPUT,
      description: 'Accepted at or after this time: ISO 8601, a date or a time with its zone.',
    },
    until: { ...TIME_INPUT, description: 'Accepted before this time.' },
    domain: { ...DOMAIN_NAME, description: 'The sending domain.' },
  },
} as const

export const listEmails = route('GET /emails', {
  operation: 'email_list',
  access: 'reading',
  operationId: 'listEmails',
  summary: 'List the emails of the company, newest first',
  query: QUERY,
  answer: ANSWER,
})(async ({ caller, query }, core) => {
  const { limit, after, before } = query
  requireOneDirection(query)
  const { emails, complete, next } = await core.deps.searches.emails(filterOf(query, caller, core), {
    limit,
    ...(after !== undefined && { olderThan: cursor('after', after) }),
    ...(before !== undefined && { newerThan: cursor('before', before) }),
  })
  const body = {
    object: 'list' as const,
    has_more: !complete,
    data: emails.map((email) => emailJsonOf(email, email)),
  }
  return next === null ? body : { ...body, next }
})

function cursor(field: 'after' | 'before', text: string): string {
  const id = text.toLowerCase()
  if (isEmailId(id)) return id
  throw invalidField(field, 'it must be the id of an email')
}

function filterOf(query: Static<typeof QUERY>, caller: Principal, core: HttpCore): EmailFilter {
  const { to, from, subject, tag, event, since, until, domain } = query
  const filter: EmailFilter = { companyId: caller.companyId }
  const domainId = domain === undefined ? caller.domainId : domainIdOf(domain, caller, core)
  if (domainId !== null) filter.domainId = domainId
  if (to !== undefined) filter.to = to.trim()
  if (from !== undefined) filter.from = from
  if (subject !== undefined) filter.subject = subject
  if (tag !== undefined) filter.tag = tagFilterOf(tag)
  if (event !== undefined) filter.events = eventsOf(event)
  if (since !== undefined) filter.since = parseTime('since', since)
  if (until !== undefined) filter.until = parseTime('until', until)
  return filter
}

/** A domain of another company does not exist for the caller. */
function domainIdOf(text: string, caller: Principal, { deps }: HttpCore): string {
  const domain = deps.accounts.directory.domainNamed(aLabel(text), caller.companyId)
  if (domain && (caller.domainId === null || caller.domainId === domain.id)) return domain.id
  throw invalidField('domain', 'there is no such sending domain')
}

function aLabel(text: string): string {
  try {
    return parseDomain(text)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw invalidField('domain', error.message)
  }
}

function eventsOf(text: string): EventType[] {
  return text.split(',').map((part) => {
    const word = part.trim().replace(/^email\./, '')
    const type = LAST_EVENT_TYPES.find((known) => known === word)
    if (type !== undefined) return type
    throw invalidField(
      'event',
      `it must be one or more of these, separated by commas: ${LAST_EVENT_TYPES.join(', ')}`,
    )
  })
}
