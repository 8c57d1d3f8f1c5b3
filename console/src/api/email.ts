/** One email: its state, its content, and the actions on it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer, urlOf } from './client.ts'
import { change, invalidate, queries, read } from './queries.ts'

const EMAIL = 'GET /companies/:company/emails/:email'

export type EmailDetail = JsonAnswer<typeof EMAIL>
export type EmailRecipient = EmailDetail['recipients'][number]
export type EmailAttempt = EmailDetail['attempts'][number]
export type EmailEvent = EmailDetail['events'][number]
export type EmailContent = JsonAnswer<'GET /companies/:company/emails/:email/content'>
export type EmailFile = EmailContent['files'][number]
export type EmailSource = JsonAnswer<'GET /companies/:company/emails/:email/source'>
export type CheckedLink = JsonAnswer<'POST /companies/:company/emails/:email/reach'>['answers'][number]
export type EmailAction = 'retry' | 'cancel' | 'release'

/**
 * Milliseconds between two polls of an unfinished email. Changes without an event, such as a pause, arrive
 * this way.
 */
const LOOK_AGAIN = 5_000
const LOOK_SELDOM = 30_000

/** The most recipients in one answer. */
export const RECIPIENTS_AT_ONCE = 100

/** `from`: the position of the first recipient in the answer. */
export const emailQuery = (company: string, email: string, from = 0) =>
  queryOptions({
    ...read(EMAIL, { company, email, query: { from } }),
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : nextLook(data)),
  })

function nextLook({ recipients }: EmailDetail): number | false {
  const waiting = recipients.filter(({ waits }) => waits !== null)
  if (waiting.length === 0) return false
  const soon = waiting.some((each) => each.at === null || Date.parse(each.at) - Date.now() < 60_000)
  return soon ? LOOK_AGAIN : LOOK_SELDOM
}

/** The number of all recipients: one answer lists at most a hundred of them. */
export function countOf({ states }: EmailDetail): number {
  return Object.values(states).reduce((sum, count) => sum + count, 0)
}

const LIST = 'GET /companies/:company/emails'

/** Lists and pages of emails, for changes of pauses and domains: no event says that an email is now paused or held. */
export const SHOWN_EMAILS = [LIST, EMAIL] as const

/** Works in capture mode only. */
export const deleteAllEmails = (company: string) =>
  change('POST /companies/:company/emails/clear', { company }, LIST, EMAIL)

/** Works in capture mode only. */
export async function deleteEmail(company: string, id: string): Promise<void> {
  const { refused } = await call('POST /companies/:company/emails/delete', { company, body: { ids: [id] } })
  if (refused.length > 0) throw new Error(refused[0]!.why)
  await reloadEmailList()
}

/** Reloads the list after emails were deleted. */
export const reloadEmailList = () => invalidate(LIST)

/** Reloads the shown emails that have these ids, or all shown emails. */
export function reloadShownEmails(ids: ReadonlySet<string> | 'all'): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [name, parts] }) =>
      name === EMAIL && (ids === 'all' || ids.has((parts as { email: string }).email)),
  })
}

const NEVER_CHANGES = { staleTime: Number.POSITIVE_INFINITY } as const

/** The SMTP dialogue of one attempt. `attempt`: the id of the attempt. */
export const dialogueQuery = (company: string, email: string, attempt: number) => ({
  ...read('GET /companies/:company/emails/:email/attempts/:attempt', { company, email, attempt }),
  ...NEVER_CHANGES,
})

export const contentQuery = (company: string, email: string) => ({
  ...read('GET /companies/:company/emails/:email/content', { company, email }),
  ...NEVER_CHANGES,
})

export const sourceQuery = (company: string, email: string, recipient: string | undefined) => ({
  ...read('GET /companies/:company/emails/:email/source', { company, email, query: { recipient } }),
  ...NEVER_CHANGES,
  retry: false,
})

export const copyTextQuery = (company: string, email: string, recipient: string | undefined) => ({
  ...read('GET /companies/:company/emails/:email/text', { company, email, query: { recipient } }),
  ...NEVER_CHANGES,
  retry: false,
})

export const neighboursQuery = (company: string, email: string) => ({
  ...read('GET /companies/:company/emails/:email/neighbours', { company, email }),
  placeholderData: keepPreviousData,
})

/** The URLs of files and frames: the browser itself requests them. */
export const sourceUrl = (company: string, email: string, recipient?: string) =>
  urlOf('GET /companies/:company/emails/:email/source.eml', { company, email, query: { recipient } })

export const fileUrl = (company: string, email: string, position: number, shown = false) =>
  urlOf('GET /companies/:company/emails/:email/files/:position', {
    company,
    email,
    position: String(position),
    query: { shown: shown ? '1' : undefined },
  })

export const previewUrl = (company: string, email: string, recipient: string | undefined, remote: boolean) =>
  urlOf('GET /companies/:company/emails/:email/preview', {
    company,
    email,
    query: { recipient, remote: remote ? '1' : undefined },
  })

export const actOn = (company: string, email: string, action: EmailAction) =>
  lookAgainAfter(call(`POST /companies/:company/emails/:email/${action}`, { company, email }), email)

export const suppressRecipient = (company: string, email: string, position: number) =>
  lookAgainAfter(
    call('POST /companies/:company/emails/:email/suppress', { company, email, body: { position } }),
    email,
  )

export type RecipientsAction = 'retry' | 'cancel' | 'suppress'

/** `ids`: the positions of some recipients. The caller reloads the email after the last request of a choice. */
export const actOnRecipients = (
  company: string,
  email: string,
  action: RecipientsAction,
  ids: readonly string[],
) =>
  call(`POST /companies/:company/emails/:email/recipients/${action}`, {
    company,
    email,
    body: { positions: ids.map(Number) },
  })

async function lookAgainAfter<Result>(answer: Promise<Result>, email: string): Promise<Result> {
  try {
    return await answer
  } finally {
    await reloadShownEmails(new Set([email]))
  }
}

type AgainBody = Body<'POST /companies/:company/emails/:email/again'>

/** `click`: a value that all retries of one click share. */
export const sendAgain = (company: string, email: string, body: AgainBody) =>
  change(
    'POST /companies/:company/emails/:email/again',
    { company, email, body },
    'GET /companies/:company/emails',
  )

export const checkLinks = (company: string, email: string, urls: string[]) =>
  call('POST /companies/:company/emails/:email/reach', { company, email, body: { urls } })
