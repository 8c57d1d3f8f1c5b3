import { MAX_AHEAD, MAX_AHEAD_DAYS, type Rescheduled } from '../email/queued-email.ts'
import type { EmailHistory, EmailSummary } from '../email/stored-email.ts'
import type { FoundEmails } from '../events/find-emails.ts'
import { allEmailsFound, type EmailSearch, emailsFound } from './email-search.ts'
import { OperateError } from './error.ts'
import { companyFilter, companyScope, findDomain, noSuchEmail, type OfCompany, requireEmail } from './find.ts'
import { type Operation, verb } from './verb.ts'

export interface EmailListing extends EmailSearch {
  /** Id of an email: only those accepted before it. */
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
    return await allEmailsFound(op, { company, ...search }, page)
  },
)

export interface EmailPageWanted extends EmailSearch {
  /** Id of an email: only those accepted before it; from the newest of these on. */
  before?: string | undefined
  /** Id of an email: only those accepted after it; the nearest to it, unless `before` is given, too. */
  after?: string | undefined
  limit: number
}

/**
 * A page of what is looked for, newest first. It costs the same however many emails there are: one that is not complete
 * may have fewer than asked for, or none, and `next` is the `before` (or `after`) to go on from.
 */
export const searchEmails = verb(
  'read',
  async (op, { before, after, limit, ...search }: EmailPageWanted): Promise<FoundEmails> =>
    await emailsFound(op, search, {
      limit,
      ...(before !== undefined && { olderThan: before }),
      ...(after !== undefined && { newerThan: after }),
    }),
)

/** As lists show it; null where there is none, or it is another company's. */
export const findEmail = verb(
  'read',
  async (op, { id, company }: OfCompany & { id: string }): Promise<EmailSummary | null> => {
    const scope = companyScope(op, { company })
    const [email] = await op.store.summaries([id], 1)
    return email !== undefined && (scope === null || email.companyId === scope) ? email : null
  },
)

/** Each recipient, every event, every SMTP dialogue, whatever room that takes: for the command line. */
export const showEmail = verb('read', (op, { id }: { id: string }) => historyOf(op, id))

/** Throws `not_found`, also when the caller may not know of it. */
async function historyOf(op: Operation, id: string): Promise<EmailHistory> {
  await requireEmail(op, id)
  const history = await op.store.readHistory(id)
  // Retention may have been faster.
  if (history === null) throw noSuchEmail(id)
  return history
}

/** What was said to a server, and what it answered. `attempt`: its id in the outline. */
export const showDialogue = verb(
  'read',
  async (op, { id, attempt }: { id: string; attempt: number }): Promise<string> => {
    await requireEmail(op, id)
    const dialogue = await op.store.readDialogue(id, attempt)
    if (dialogue === null) throw new OperateError('not_found', 'there is no such attempt')
    return dialogue
  },
)

export interface CanceledEmail {
  /** Recipients that were waiting or in quarantine. */
  canceled: number
  /** Recipients being sent: they end as canceled unless their server takes the message now. */
  sending: number
}

export const cancelEmail = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<CanceledEmail> => {
    await requireEmail(op, id)
    const result = await op.store.cancel(id, op.now())
    if (result.canceled > 0 || result.sending > 0) return result
    throw new OperateError('nothing_to_do', 'nothing to cancel: every recipient is done', {
      verb: 'showEmail',
      id,
    })
  },
  null,
)

/** Emails looked for in one step. */
const STEP = 200

/** Cancels all that waits of one sending domain, also what waits for its time. How many recipients. */
export const cancelWaiting = verb(
  'manage',
  async (op, input: { domain: string }): Promise<number> => {
    const { id, companyId } = findDomain(op, input.domain)
    let canceled = 0
    for (;;) {
      const emails = await op.store.waitingEmails(companyId, id, STEP)
      const before = canceled
      for (const email of emails) canceled += (await op.store.cancel(email, op.now())).canceled
      // Others may have been faster with the last of them.
      if (canceled === before) return canceled
    }
  },
  null,
)

/** Another time (Unix ms) for an email that waits for the time its sender gave. What is past means now. */
export const rescheduleEmail = verb(
  'manage',
  async (op, { id, dueAt }: { id: string; dueAt: number }): Promise<{ dueAt: number }> => {
    await requireEmail(op, id)
    const now = op.now()
    if (dueAt > now + MAX_AHEAD) {
      throw new OperateError('invalid', `a time may be ${MAX_AHEAD_DAYS} days ahead at most`)
    }
    const { found } = await op.store.reschedule(id, dueAt, now)
    if (found === 'scheduled') return { dueAt: Math.max(dueAt, now) }
    throw notScheduled(id, found)
  },
  null,
)

/** As `cancelEmail`, of an email that waits for the time its sender gave. */
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
  unscheduled: 'it was sent at once: its sender gave no time',
  begun: 'its time has come: it is being sent, or has been',
  canceled: 'it is canceled',
}

function notScheduled(id: string, found: Exclude<Rescheduled['found'], 'scheduled'>): OperateError {
  // Retention may have been faster.
  if (found === 'unknown') return noSuchEmail(id)
  return new OperateError('nothing_to_do', NOT_SCHEDULED[found], { verb: 'showEmail', id })
}
