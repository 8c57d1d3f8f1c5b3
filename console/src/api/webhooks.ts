import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  ADDED_WEBHOOK,
  ATTEMPTS,
  AttemptShown,
  MessageShown,
  NewWebhook,
  REPLAYED,
  TestedShown,
  WEBHOOK_SECRET,
  WEBHOOKS,
  WebhookChanged,
  WebhookShown,
  WebhookWords,
} from '../../../src/http/console/contract/webhooks.ts'
import { get, patch, pathOf, post, remove } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type { AttemptShown, NewWebhook, TestedShown, WebhookShown, WebhookWords }
export type Dialect = WebhookShown['dialect']
export type Secret = Static<typeof WEBHOOK_SECRET>

/** Milliseconds between two polls of data that changes by itself, while it is on screen. */
const LOOK_EVERY = 3_000

const all = (company: string) => `/companies${pathOf(company)}/webhooks`
const one = (company: string, id: string) => `${all(company)}${pathOf(id)}`

export const webhooksQuery = (company: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['webhooks', company, after ?? ''],
    queryFn: ({ signal }) => get<Static<typeof WEBHOOKS>>(all(company), { after }, signal),
    refetchInterval: LOOK_EVERY * 3,
  })

export const webhookQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['webhook', company, id],
    queryFn: ({ signal }) => get<WebhookShown>(one(company, id), {}, signal),
    refetchInterval: LOOK_EVERY,
  })

/** Events and dialects: the same for all companies, and constant until the server is upgraded. */
export const wordsQuery = queryOptions({
  queryKey: ['webhook-words'],
  queryFn: ({ signal }) => get<WebhookWords>('/webhook-words', {}, signal),
  staleTime: 600_000,
})

export const secretQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['webhook-secret', company, id],
    queryFn: ({ signal }) => get<Secret>(`${one(company, id)}/secret`, {}, signal),
    // A secret leaves the cache as soon as it is off screen.
    gcTime: 0,
  })

export interface AttemptsWanted {
  result?: 'failed' | 'succeeded' | undefined
  message?: string | undefined
  before?: string | undefined
}

export const attemptsQuery = (company: string, id: string, wanted: AttemptsWanted) =>
  queryOptions({
    queryKey: ['webhook-attempts', company, id, wanted],
    queryFn: ({ signal }) =>
      get<Static<typeof ATTEMPTS>>(`${one(company, id)}/attempts`, { ...wanted }, signal),
    refetchInterval: wanted.before === undefined ? LOOK_EVERY : false,
    placeholderData: keepPreviousData,
  })

export const messageQuery = (company: string, id: string, message: string) =>
  queryOptions({
    queryKey: ['webhook-message', company, id, message],
    queryFn: ({ signal }) => get<MessageShown>(`${one(company, id)}/messages${pathOf(message)}`, {}, signal),
    refetchInterval: LOOK_EVERY,
  })

export async function addWebhook(company: string, webhook: NewWebhook): Promise<string> {
  const { id } = await post<Static<typeof ADDED_WEBHOOK>>(all(company), webhook)
  await changed()
  return id
}

export async function changeWebhook(company: string, id: string, change: WebhookChanged): Promise<void> {
  const webhook = await patch<WebhookShown>(one(company, id), change)
  queries.setQueryData(webhookQuery(company, id).queryKey, webhook)
  await changed()
}

export async function removeWebhook(company: string, id: string): Promise<void> {
  await remove(one(company, id))
  await changed()
}

export async function rotateSecret(company: string, id: string): Promise<void> {
  const secret = await post<Secret>(`${one(company, id)}/secret`)
  queries.setQueryData(secretQuery(company, id).queryKey, secret)
}

export async function replayMessage(company: string, id: string, message: string): Promise<void> {
  await post(`${one(company, id)}/messages${pathOf(message)}/replay`)
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
    const step: Static<typeof REPLAYED> = await post(`${one(company, id)}/replay`, {
      since: since.toISOString(),
      what,
      ...(from !== null && { from }),
    })
    if (step.told !== null) sum = (sum ?? 0) + step.told
    from = step.next
  } while (from !== null)
  await told()
  return sum
}

export function testWebhook(company: string, id: string, event: string): Promise<TestedShown> {
  return post(`${one(company, id)}/test`, { event })
}

function changed(): Promise<void> {
  return invalidate('webhooks')
}

async function told(): Promise<void> {
  await invalidate('webhook-attempts', 'webhook-message', 'webhook')
}
