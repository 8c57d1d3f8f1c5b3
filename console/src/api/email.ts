/** One email: its state, its content, and the actions on it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  CHANGED,
  CONTENT,
  COPY_TEXT,
  DIALOGUE,
  EMAIL_DETAIL,
  NEIGHBOURS,
  REACHED,
  SENT,
  SOURCE,
} from '../../../src/http/console/contract/email.ts'
import { get, pathOf, post, type Query, queryText } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type EmailDetail = Static<typeof EMAIL_DETAIL>
export type EmailRecipient = EmailDetail['recipients'][number]
export type EmailAttempt = EmailDetail['attempts'][number]
export type EmailEvent = EmailDetail['events'][number]
export type EmailContent = Static<typeof CONTENT>
export type EmailFile = EmailContent['files'][number]
export type EmailSource = Static<typeof SOURCE>
export type ReachedLink = Static<typeof REACHED>['answers'][number]

/**
 * Milliseconds between two polls of an unfinished email. Changes without an event, such as a pause, arrive
 * this way.
 */
const LOOK_AGAIN = 5_000
const LOOK_SELDOM = 30_000

const at = (company: string, id: string) => `/companies${pathOf(company)}/emails${pathOf(id)}`

/** `from`: the position of the first recipient that is shown. */
export const emailQuery = (company: string, id: string, from = 0) =>
  queryOptions({
    queryKey: ['email', company, id, from],
    queryFn: ({ signal }) => get<EmailDetail>(at(company, id), { from: from || undefined }, signal),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : nextLook(data)),
  })

function nextLook({ recipients }: EmailDetail): number | false {
  const waiting = recipients.filter(({ waits }) => waits !== null)
  if (waiting.length === 0) return false
  const soon = waiting.some((each) => each.at === null || Date.parse(each.at) - Date.now() < 60_000)
  return soon ? LOOK_AGAIN : LOOK_SELDOM
}

/** The SMTP dialogue of one attempt, which never changes. `attempt`: the id of the attempt. */
export const dialogueQuery = (company: string, id: string, attempt: number) =>
  queryOptions({
    queryKey: ['email-dialogue', company, id, attempt],
    queryFn: ({ signal }) =>
      get<Static<typeof DIALOGUE>>(`${at(company, id)}/attempts/${attempt}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const contentQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['email-content', company, id],
    queryFn: ({ signal }) => get<EmailContent>(`${at(company, id)}/content`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sourceQuery = (company: string, id: string, recipient: string | undefined) =>
  queryOptions({
    queryKey: ['email-source', company, id, recipient],
    queryFn: ({ signal }) => get<EmailSource>(`${at(company, id)}/source`, { recipient }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const copyTextQuery = (company: string, id: string, recipient: string | undefined) =>
  queryOptions({
    queryKey: ['email-text', company, id, recipient],
    queryFn: ({ signal }) => get<Static<typeof COPY_TEXT>>(`${at(company, id)}/text`, { recipient }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const neighboursQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['email-neighbours', company, id],
    queryFn: ({ signal }) => get<Static<typeof NEIGHBOURS>>(`${at(company, id)}/neighbours`, {}, signal),
    placeholderData: keepPreviousData,
  })

/**
 * The URL of a document that is not JSON, such as a frame or a file. `rest`: the path below the email's own
 * path.
 */
export function documentUrl(company: string, id: string, rest: string, query: Query = {}): string {
  return `/console/api${at(company, id)}${rest}${queryText(query)}`
}

type Changed = Static<typeof CHANGED>

export async function actOn(
  company: string,
  id: string,
  action: 'retry' | 'cancel' | 'release',
): Promise<Changed> {
  return await lookAgainAfter(post<Changed>(`${at(company, id)}/${action}`), id)
}

export async function suppressRecipient(company: string, id: string, position: number): Promise<Changed> {
  return await lookAgainAfter(post<Changed>(`${at(company, id)}/suppress`, { position }), id)
}

/** `click`: a value that all retries of one click share. */
export async function sendAgain(
  company: string,
  id: string,
  again: { click: string; to?: string | undefined },
): Promise<Static<typeof SENT>> {
  const sent = await post<Static<typeof SENT>>(`${at(company, id)}/again`, again)
  void invalidate('emails')
  return sent
}

export function reach(company: string, id: string, urls: string[]): Promise<Static<typeof REACHED>> {
  return post(`${at(company, id)}/reach`, { urls })
}

async function lookAgainAfter<Answer>(answer: Promise<Answer>, id: string): Promise<Answer> {
  try {
    return await answer
  } finally {
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] === 'email' && queryKey[2] === id,
    })
  }
}
