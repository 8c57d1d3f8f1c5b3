import { MAX_AHEAD, MAX_AHEAD_DAYS, type RescheduleResult } from '../email/queued-email.ts'
import type { EmailHistory, EmailSummary } from '../email/stored-email.ts'
import type { FoundEmails } from '../events/find-emails.ts'
import type { CancelCounts } from '../store/store.ts'
import {
  countEmailMatches,
  type EmailCount,
  type EmailSearch,
  readAllEmails,
  readEmailPage,
} from './email-search.ts'
import { OperateError } from './error.ts'
import {
  type CompanyFilter,
  companyFilter,
  companyScope,
  findDomain,
  noSuchEmail,
  requireEmail,
} from './find.ts'
import { type Operation, verb } from './verb.ts'

export interface EmailListing extends EmailSearch {
  /** Id of an email: only emails accepted before it. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export const listEmails = verb(
  'read',
  async (op, { before, limit, company, ...search }: EmailListing): Promise<EmailSummary[]> => {
    const page = { limit, ...(before !== undefined && { before }) }
    const all = Object.values(search).every((value) => value === undefined)
    if (all) return await op.store.listEmails({ ...companyFilter(op, { company }), ...page })
    return await readAllEmails(op, { company, ...search }, page)
  },
)

export interface EmailPageRequest extends EmailSearch {
  /** Id of an email: only emails accepted before it, beginning with the newest. */
  before?: string | undefined
  /** Id of an email: only emails accepted after it, beginning with the nearest unless `before` is given too. */
  after?: string | undefined
  limit: number
}

/**
 * A page of search results, newest first. A page costs the same however many emails there are: an incomplete page may
 * have fewer than requested, or none, and `next` is the `before` (or `after`) of the following page.
 */
export const searchEmails = verb(
  'read',
  async (op, { before, after, limit, ...search }: EmailPageRequest): Promise<FoundEmails> =>
    await readEmailPage(op, search, {
      limit,
      ...(before !== undefined && { olderThan: before }),
      ...(after !== undefined && { newerThan: after }),
    }),
)

/** How many emails a search finds, up to a thousand. */
export const countEmails = verb(
  'read',
  (op, search: EmailSearch): Promise<EmailCount> => countEmailMatches(op, search),
)

/** The email as lists show it; null: there is none, or it belongs to another company. */
export const findEmail = verb(
  'read',
  async (op, { id, company }: CompanyFilter & { id: string }): Promise<EmailSummary | null> => {
    const scope = companyScope(op, { company })
    const [email] = await op.store.summaries([id], 1)
    return email !== undefined && (scope === null || email.companyId === scope) ? email : null
  },
)

/** Every recipient, event and SMTP dialogue, however large: for the command line. */
export const showEmail = verb('read', (op, { id }: { id: string }) => historyOf(op, id))

/** Throws `not_found`, also when the caller may not see the email. */
async function historyOf(op: Operation, id: string): Promise<EmailHistory> {
  await requireEmail(op, id)
  const history = await op.store.readHistory(id)
  // Retention may have removed it meanwhile.
  if (history === null) throw noSuchEmail(id)
  return history
}

/** The SMTP dialogue of an attempt. `attempt`: its id in the outline. */
export const showDialogue = verb(
  'read',
  async (op, { id, attempt }: { id: string; attempt: number }): Promise<string> => {
    await requireEmail(op, id)
    const dialogue = await op.store.readDialogue(id, attempt)
    if (dialogue === null) throw new OperateError('not_found', 'the email has no such attempt')
    return dialogue
  },
)

export const cancelEmail = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<CancelCounts> => {
    await requireEmail(op, id)
    const result = await op.store.cancel(id, op.now())
    if (result.canceled > 0 || result.sending > 0) return result
    throw new OperateError('nothing_to_do', 'nothing to cancel: no recipient is waiting', {
      verb: 'showEmail',
      id,
    })
  },
  null,
)

/** Emails looked up in one step. */
const STEP = 200

/** Cancels all waiting mail of one sending domain, including scheduled mail. Returns the number of recipients. */
export const cancelWaiting = verb(
  'manage',
  async (op, input: { domain: string }): Promise<number> => {
    const { id, companyId } = findDomain(op, input.domain)
    let canceled = 0
    for (;;) {
      const emails = await op.store.waitingEmails(companyId, id, STEP)
      const before = canceled
      for (const email of emails) canceled += (await op.store.cancel(email, op.now())).canceled
      // Other processes may have canceled or sent the last of them.
      if (canceled === before) return canceled
    }
  },
  null,
)

/** Changes the time (Unix ms) of a scheduled email. A time in the past means now. */
export const rescheduleEmail = verb(
  'manage',
  async (op, { id, dueAt }: { id: string; dueAt: number }): Promise<{ dueAt: number }> => {
    await requireEmail(op, id)
    const now = op.now()
    if (dueAt > now + MAX_AHEAD) {
      throw new OperateError('invalid', `the time may be at most ${MAX_AHEAD_DAYS} days ahead`)
    }
    const { found } = await op.store.reschedule(id, dueAt, now)
    if (found === 'scheduled') return { dueAt: Math.max(dueAt, now) }
    throw notScheduled(id, found)
  },
  null,
)

/** Like `cancelEmail`, but only for an email that still waits for its scheduled time. */
export const cancelScheduled = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<void> => {
    await requireEmail(op, id)
    const { found } = await op.store.cancelScheduled(id, op.now())
    if (found !== 'scheduled') throw notScheduled(id, found)
  },
  null,
)

const NOT_SCHEDULED = {
  unscheduled: 'it was not scheduled',
  begun: 'its scheduled time has passed: it is being sent or was sent',
  canceled: 'it is canceled',
}

function notScheduled(id: string, found: Exclude<RescheduleResult['found'], 'scheduled'>): OperateError {
  // Retention may have removed it meanwhile.
  if (found === 'unknown') return noSuchEmail(id)
  return new OperateError('nothing_to_do', NOT_SCHEDULED[found], { verb: 'showEmail', id })
}
