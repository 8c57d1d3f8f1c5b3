/** `POST /v1/analytics/logs`: events of all domains, in the newer form. */

import { DAY_MS } from '../../../common/utc-day.ts'
import { mailDate, readTime } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { PAGE_TOKEN, TIME_INPUT, WORD } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { longJson } from '../../json-pieces.ts'
import { route } from '../../route.ts'
import { type Expression, LONGEST } from '../log/expression.ts'
import { type EventObject, FILTERS, type FilterField, filterTest } from '../log/fields.ts'
import { indexConstraints } from '../log/narrowing.ts'
import { type EventSelection, MAX_EVENTS } from '../log/query.ts'
import { logLinks, searchEvents } from '../log/search.ts'
import { type LogCursor, pageToken, readToken } from '../log/token.ts'
import { TEXT } from '../schemas.ts'
import { domainOf, FILTER, type FilterCondition } from './filter.ts'

/** The most event types that a request may name: far more than there are, because a client may repeat a type. */
const MAX_EVENTS_NAMED = 1_000

const logs = route('POST /v1/analytics/logs', {
  operation: 'form_logs',
  access: 'reading',
  operationId: 'formListLogs',
  summary: 'List events of the mail of the company',
  body: {
    type: 'object',
    properties: {
      start: { ...TIME_INPUT, description: 'A date as in a mail header. Default: a day before the end.' },
      end: { ...TIME_INPUT, description: 'Default: now.' },
      events: { type: 'array', maxItems: MAX_EVENTS_NAMED, items: WORD },
      filter: FILTER,
      pagination: {
        type: 'object',
        properties: {
          sort: { enum: ['timestamp:asc', 'timestamp:desc'] },
          token: { ...PAGE_TOKEN, description: 'A token from the pagination of an answer.' },
          limit: { type: 'integer', minimum: 1, maximum: 1_000 },
        },
      },
      include_subaccounts: { type: 'boolean' },
      include_totals: { type: 'boolean' },
      metric_events: { type: 'array', maxItems: MAX_EVENTS_NAMED, items: WORD },
    },
  },
  answer: {
    type: 'object',
    properties: {
      start: TEXT,
      end: TEXT,
      items: { type: 'array', items: { type: 'object', additionalProperties: true } },
      pagination: {
        type: 'object',
        properties: { previous: TEXT, next: TEXT, first: TEXT, last: TEXT },
      },
      aggregates: { type: 'object', additionalProperties: true },
    },
  },
})(async ({ caller, body, request }, core) => {
  const { filter, events, pagination = {} } = body
  const until = time('end', body.end) ?? Date.now()
  const since = time('start', body.start) ?? until - DAY_MS
  const { domain, others } = await domainOf(core, caller, filter?.AND ?? [])
  const conditions = [...others.map(readCondition), ...eventsAmong(events)]
  const selection: EventSelection = {
    filter: { ...indexConstraints(conditions), since, until },
    ascending: pagination.sort === 'timestamp:asc',
    limit: Math.min(MAX_EVENTS, pagination.limit ?? 100),
    fits: filterTest(conditions),
  }
  const { directory } = core.deps.accounts
  const nameOf = (id: string | undefined) => (id === undefined ? '' : (directory.domain(id)?.name ?? ''))
  const { token } = pagination
  const found = await searchEvents(core.deps.searches, {
    caller,
    domain,
    wanted: selection,
    place: token === undefined || token === '' ? null : readToken(core, caller.companyId, token).place,
    base: core.publicUrl.urlOf(request.raw),
    shownAs: (eventObject, { email }) => logJson(eventObject, nameOf(email?.domainId)),
    gone: () => request.raw.socket.destroyed,
  })
  const tokenOf = (place: LogCursor) => pageToken(core, caller.companyId, { place, query: {} })
  return longJson({
    start: mailDate(since),
    end: mailDate(until),
    items: found.items,
    pagination: logLinks(found, selection.ascending, tokenOf),
    aggregates: { all: found.items.length, metrics: {} },
  })
})

/** Turns an event into the newer form. */
function logJson(eventObject: EventObject, domain: string): EventObject {
  const { timestamp, storage, 'user-variables': variables, ...rest } = eventObject
  const { url, key } = (storage ?? {}) as { url?: string; key?: string }
  return {
    ...rest,
    '@timestamp': new Date((timestamp as number) * 1000).toISOString(),
    domain: { name: domain },
    'user-variables': JSON.stringify(variables),
    ...(url !== undefined && { storage: { url: [url], key } }),
  }
}

/** Turns the condition into a filter and its expression. Throws a Refusal for an unknown attribute. */
function readCondition({ attribute, comparator, values }: FilterCondition): [FilterField, Expression] {
  const name = FILTERS.find((each) => each === attribute)
  if (name === undefined) {
    const known = ['domain', ...FILTERS].join(', ')
    throw invalidField('filter', `there is no attribute "${attribute}"; the attributes are ${known}`)
  }
  const any = anyOf(
    'filter',
    values.map(({ value }) => value),
  )
  const wanted = !comparator.startsWith('not') && comparator !== '!='
  return [name, wanted ? any : { kind: 'not', operand: any }]
}

function eventsAmong(words: readonly string[] = []): [FilterField, Expression][] {
  return words.length === 0 ? [] : [['event', anyOf('events', words)]]
}

/** Throws a Refusal when the words together exceed the length of an expression. */
function anyOf(field: string, words: readonly string[]): Expression {
  if (words.reduce((sum, { length }) => sum + length + 1, 0) > LONGEST) {
    throw invalidField(field, `the values may have at most ${LONGEST} characters in total`)
  }
  const operands = words.map((word): Expression => ({ kind: 'term', text: word.toLowerCase() }))
  return operands.length === 1 ? operands[0]! : { kind: 'any', operands }
}

function time(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const at = readTime(text)
  if (at === null) throw invalidField(name, 'it is not an RFC 2822 date')
  return at
}

export const logRoutes: readonly Endpoint[] = [logs]
