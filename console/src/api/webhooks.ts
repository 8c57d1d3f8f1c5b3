import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allRows } from './all-rows.ts'
import { type Body, call, type JsonAnswer, type QueryOf } from './client.ts'
import { change, invalidate, queries, read } from './queries.ts'

const LIST = 'GET /companies/:company/webhooks'
const ONE = 'GET /companies/:company/webhooks/:id'
const ATTEMPTS = 'GET /companies/:company/webhooks/:id/attempts'
const MESSAGE = 'GET /companies/:company/webhooks/:id/messages/:message'
/** The queries that a replay makes stale. */
const REPLAYED = [ATTEMPTS, MESSAGE, ONE] as const

export type WebhookDetail = JsonAnswer<typeof ONE>
export type DialectName = WebhookDetail['dialect']
export type EventWords = JsonAnswer<'GET /webhook-words'>
export type AttemptItem = JsonAnswer<typeof ATTEMPTS>['data'][number]
export type TestAnswer = JsonAnswer<'POST /companies/:company/webhooks/:id/test'>

/** Milliseconds between two polls, for data on screen that changes by itself. */
const LOOK_EVERY = 3_000

export const webhooksQuery = (company: string, query: QueryOf<typeof LIST>) => ({
  ...read(LIST, { company, query }),
  refetchInterval: LOOK_EVERY * 3,
})

/** From all pages of the list. */
export const allWebhooksQuery = (company: string) =>
  queryOptions({
    queryKey: [LIST, { company, query: 'all' }] as const,
    queryFn: ({ signal }) =>
      allRows(async (after, limit) => {
        const query = { limit, ...(after !== undefined && { after }) }
        const { data, more } = await call(LIST, { company, query, signal })
        return { rows: data, next: more ? (data.at(-1)?.id ?? null) : null }
      }),
    refetchInterval: LOOK_EVERY * 3,
  })

export const webhookQuery = (company: string, id: string) => ({
  ...read(ONE, { company, id }),
  refetchInterval: LOOK_EVERY,
})

/** Events and dialects: the same for all companies, and constant until the server is upgraded. */
export const wordsQuery = { ...read('GET /webhook-words'), staleTime: 600_000 }

/** A secret leaves the cache as soon as it is off screen. */
export const secretQuery = (company: string, id: string) => ({
  ...read('GET /companies/:company/webhooks/:id/secret', { company, id }),
  gcTime: 0,
})

export const attemptsQuery = (company: string, id: string, query: QueryOf<typeof ATTEMPTS>) => ({
  ...read(ATTEMPTS, { company, id, query }),
  refetchInterval: query.before === undefined ? LOOK_EVERY : (false as const),
  placeholderData: keepPreviousData,
})

export const messageQuery = (company: string, id: string, message: string) => ({
  ...read(MESSAGE, { company, id, message }),
  refetchInterval: LOOK_EVERY,
})

export const addWebhook = (company: string, body: Body<'POST /companies/:company/webhooks'>) =>
  change('POST /companies/:company/webhooks', { company, body }, LIST)

export async function changeWebhook(
  company: string,
  id: string,
  body: Body<'PATCH /companies/:company/webhooks/:id'>,
): Promise<void> {
  const webhook = await change('PATCH /companies/:company/webhooks/:id', { company, id, body }, LIST)
  queries.setQueryData(webhookQuery(company, id).queryKey, webhook)
}

export const removeWebhook = (company: string, id: string) =>
  change('DELETE /companies/:company/webhooks/:id', { company, id }, LIST)

export async function rotateSecret(company: string, id: string): Promise<void> {
  const secret = await call('POST /companies/:company/webhooks/:id/secret', { company, id })
  queries.setQueryData(secretQuery(company, id).queryKey, secret)
}

export const replayMessage = (company: string, id: string, message: string) =>
  change(
    'POST /companies/:company/webhooks/:id/messages/:message/replay',
    { company, id, message },
    ...REPLAYED,
  )

/** Returns the number of messages that are sent again; `null` if the server does not count them. */
export async function replaySince(
  company: string,
  id: string,
  since: Date,
  what: 'failed' | 'everything',
): Promise<number | null> {
  const replay = 'POST /companies/:company/webhooks/:id/replay'
  let sum: number | null = null
  let from: string | null = null
  do {
    const body = { since: since.toISOString(), what, ...(from !== null && { from }) }
    const step: JsonAnswer<typeof replay> = await call(replay, { company, id, body })
    if (step.told !== null) sum = (sum ?? 0) + step.told
    from = step.next
  } while (from !== null)
  await invalidate(...REPLAYED)
  return sum
}

export const testWebhook = (company: string, id: string, event: string) =>
  call('POST /companies/:company/webhooks/:id/test', { company, id, body: { event } })
