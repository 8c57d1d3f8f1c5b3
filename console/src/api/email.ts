/** One email: its state, its content, and the actions on it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer, urlOf } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type EmailDetail = JsonAnswer<'GET /companies/:company/emails/:email'>
export type EmailRecipient = EmailDetail['recipients'][number]
export type EmailAttempt = EmailDetail['attempts'][number]
export type EmailEvent = EmailDetail['events'][number]
export type EmailContent = JsonAnswer<'GET /companies/:company/emails/:email/content'>
export type EmailFile = EmailContent['files'][number]
export type EmailSource = JsonAnswer<'GET /companies/:company/emails/:email/source'>
type LinkAnswer = JsonAnswer<'POST /companies/:company/emails/:email/reach'>
export type ReachedLink = LinkAnswer['answers'][number]
type EmailChange = JsonAnswer<'POST /companies/:company/emails/:email/retry'>

/**
 * Milliseconds between two polls of an unfinished email. Changes without an event, such as a pause, arrive
 * this way.
 */
const LOOK_AGAIN = 5_000
const LOOK_SELDOM = 30_000

/** `from`: the position of the first recipient that is shown. */
export const emailQuery = (company: string, email: string, from = 0) =>
  queryOptions({
    queryKey: ['email', company, email, from],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email', { company, email, query: { from }, signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : nextLook(data)),
  })

function nextLook({ recipients }: EmailDetail): number | false {
  const waiting = recipients.filter(({ waits }) => waits !== null)
  if (waiting.length === 0) return false
  const soon = waiting.some((each) => each.at === null || Date.parse(each.at) - Date.now() < 60_000)
  return soon ? LOOK_AGAIN : LOOK_SELDOM
}

/** The SMTP dialogue of one attempt, which never changes. `attempt`: the id of the attempt. */
export const dialogueQuery = (company: string, email: string, attempt: number) =>
  queryOptions({
    queryKey: ['email-dialogue', company, email, attempt],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email/attempts/:attempt', { company, email, attempt, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const contentQuery = (company: string, email: string) =>
  queryOptions({
    queryKey: ['email-content', company, email],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email/content', { company, email, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const sourceQuery = (company: string, email: string, recipient: string | undefined) =>
  queryOptions({
    queryKey: ['email-source', company, email, recipient],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email/source', { company, email, query: { recipient }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const copyTextQuery = (company: string, email: string, recipient: string | undefined) =>
  queryOptions({
    queryKey: ['email-text', company, email, recipient],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email/text', { company, email, query: { recipient }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const neighboursQuery = (company: string, email: string) =>
  queryOptions({
    queryKey: ['email-neighbours', company, email],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/emails/:email/neighbours', { company, email, signal }),
    placeholderData: keepPreviousData,
  })

/** The URLs of files and frames: the browser itself requests them. */
export function sourceUrl(company: string, email: string, recipient?: string): string {
  return urlOf('GET /companies/:company/emails/:email/source.eml', { company, email, query: { recipient } })
}

export function fileUrl(company: string, email: string, position: number, shown = false): string {
  return urlOf('GET /companies/:company/emails/:email/files/:position', {
    company,
    email,
    position: String(position),
    query: { shown: shown ? '1' : undefined },
  })
}

export function previewUrl(
  company: string,
  email: string,
  recipient: string | undefined,
  remote: boolean,
): string {
  return urlOf('GET /companies/:company/emails/:email/preview', {
    company,
    email,
    query: { recipient, remote: remote ? '1' : undefined },
  })
}

export async function actOn(
  company: string,
  email: string,
  action: 'retry' | 'cancel' | 'release',
): Promise<EmailChange> {
  return await lookAgainAfter(
    call(`POST /companies/:company/emails/:email/${action}`, { company, email }),
    email,
  )
}

export async function suppressRecipient(
  company: string,
  email: string,
  position: number,
): Promise<EmailChange> {
  return await lookAgainAfter(
    call('POST /companies/:company/emails/:email/suppress', { company, email, body: { position } }),
    email,
  )
}

/** `click`: a value that all retries of one click share. */
export async function sendAgain(
  company: string,
  email: string,
  body: Body<'POST /companies/:company/emails/:email/again'>,
): Promise<{ id: string }> {
  const sent = await call('POST /companies/:company/emails/:email/again', { company, email, body })
  void invalidate('emails')
  return sent
}

export function reach(company: string, email: string, urls: string[]): Promise<LinkAnswer> {
  return call('POST /companies/:company/emails/:email/reach', { company, email, body: { urls } })
}

async function lookAgainAfter<Result>(answer: Promise<Result>, email: string): Promise<Result> {
  try {
    return await answer
  } finally {
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] === 'email' && queryKey[2] === email,
    })
  }
}
