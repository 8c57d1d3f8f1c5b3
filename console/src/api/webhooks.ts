import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer, type QueryOf } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type WebhookDetail = JsonAnswer<'GET /companies/:company/webhooks/:id'>
export type DialectName = WebhookDetail['dialect']
export type NewWebhook = Body<'POST /companies/:company/webhooks'>
type WebhookChangeJson = Body<'PATCH /companies/:company/webhooks/:id'>
export type EventWords = JsonAnswer<'GET /webhook-words'>
export type Secret = JsonAnswer<'GET /companies/:company/webhooks/:id/secret'>
export type AttemptItem = JsonAnswer<'GET /companies/:company/webhooks/:id/attempts'>['data'][number]
export type AttemptsQuery = Omit<QueryOf<'GET /companies/:company/webhooks/:id/attempts'>, 'limit'>
export type TestAnswer = JsonAnswer<'POST /companies/:company/webhooks/:id/test'>

/** Milliseconds between two polls of data that changes by itself, while it is on screen. */
const LOOK_EVERY = 3_000

export const webhooksQuery = (company: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['webhooks', company, after ?? ''],
    queryFn: ({ signal }) => call('GET /companies/:company/webhooks', { company, query: { after }, signal }),
    refetchInterval: LOOK_EVERY * 3,
  })

export const webhookQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['webhook', company, id],
    queryFn: ({ signal }) => call('GET /companies/:company/webhooks/:id', { company, id, signal }),
    refetchInterval: LOOK_EVERY,
  })

/** Events and dialects: the same for all companies, and constant until the server is upgraded. */
export const wordsQuery = queryOptions({
  queryKey: ['webhook-words'],
  queryFn: ({ signal }) => call('GET /webhook-words', { signal }),
  staleTime: 600_000,
})

export const secretQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['webhook-secret', company, id],
    queryFn: ({ signal }) => call('GET /companies/:company/webhooks/:id/secret', { company, id, signal }),
    // A secret leaves the cache as soon as it is off screen.
    gcTime: 0,
  })

export const attemptsQuery = (company: string, id: string, request: AttemptsQuery) =>
  queryOptions({
    queryKey: ['webhook-attempts', company, id, request],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/webhooks/:id/attempts', { company, id, query: request, signal }),
    refetchInterval: request.before === undefined ? LOOK_EVERY : false,
    placeholderData: keepPreviousData,
  })

export const messageQuery = (company: string, id: string, message: string) =>
  queryOptions({
    queryKey: ['webhook-message', company, id, message],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/webhooks/:id/messages/:message', { company, id, message, signal }),
    refetchInterval: LOOK_EVERY,
  })

export async function addWebhook(company: string, webhook: NewWebhook): Promise<string> {
  const { id } = await call('POST /companies/:company/webhooks', { company, body: webhook })
  await changed()
  return id
}

export async function changeWebhook(company: string, id: string, change: WebhookChangeJson): Promise<void> {
  const webhook = await call('PATCH /companies/:company/webhooks/:id', { company, id, body: change })
  queries.setQueryData(webhookQuery(company, id).queryKey, webhook)
  await changed()
}

export async function removeWebhook(company: string, id: string): Promise<void> {
  await call('DELETE /companies/:company/webhooks/:id', { company, id })
  await changed()
}

export async function rotateSecret(company: string, id: string): Promise<void> {
  const secret = await call('POST /companies/:company/webhooks/:id/secret', { company, id })
  queries.setQueryData(secretQuery(company, id).queryKey, secret)
}

export async function replayMessage(company: string, id: string, message: string): Promise<void> {
  await call('POST /companies/:company/webhooks/:id/messages/:message/replay', { company, id, message })
  await told()
}

/** Returns how many messages are sent again; `null` if the server does not count them. */
export async function replaySince(
  company: string,
  id: string,
  since: Date,
  what: 'failed' | 'everything',
): Promise<number | null> {
  let sum: number | null = null
  let from: string | null = null
  do {
    const step: JsonAnswer<'POST /companies/:company/webhooks/:id/replay'> = await call(
      'POST /companies/:company/webhooks/:id/replay',
      {
        company,
        id,
        body: {
          since: since.toISOString(),
          what,
          ...(from !== null && { from }),
        },
      },
    )
    if (step.told !== null) sum = (sum ?? 0) + step.told
    from = step.next
  } while (from !== null)
  await told()
  return sum
}

export function testWebhook(company: string, id: string, event: string): Promise<TestAnswer> {
  return call('POST /companies/:company/webhooks/:id/test', { company, id, body: { event } })
}

function changed(): Promise<void> {
  return invalidate('webhooks')
}

async function told(): Promise<void> {
  await invalidate('webhook-attempts', 'webhook-message', 'webhook')
}
