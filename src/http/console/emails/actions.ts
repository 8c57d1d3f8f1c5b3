/** Actions on emails: try now, cancel, delete, suppress a recipient, send again. */
import { cancelEmails, retryEmails, suppressRecipientsOfEmails } from '../../../operate/email-batches.ts'
import { clearEmails, deleteEmails } from '../../../operate/email-deletion.ts'
import { checkLinks } from '../../../operate/email-links.ts'
import {
  cancelRecipients,
  retryRecipients,
  suppressChosenRecipients,
  suppressRecipient,
} from '../../../operate/email-recipients.ts'
import { cancelEmail } from '../../../operate/emails.ts'
import { OperateError } from '../../../operate/error.ts'
import { releaseQuarantined } from '../../../operate/quarantine.ts'
import { noRetryReason, retry } from '../../../operate/queue.ts'
import type { EMAIL_ACTION_ROUTES } from '../contract/email.ts'
import type { Handlers } from '../handlers.ts'
import { senderOf } from '../sender.ts'
import { emailNamed } from './email-lookup.ts'
import { sendAgain } from './send-again.ts'

export const emailActionHandlers: Handlers<typeof EMAIL_ACTION_ROUTES> = {
  'POST /companies/:company/emails/retry': ({ op, company, body: { ids } }) =>
    retryEmails(op, { company: company ?? undefined, ids }),

  'POST /companies/:company/emails/cancel': ({ op, company, body: { ids } }) =>
    cancelEmails(op, { company: company ?? undefined, ids }),

  'POST /companies/:company/emails/suppress': async ({ op, company, body: { ids } }) => {
    const { changed, refused } = await suppressRecipientsOfEmails(op, { company: company ?? undefined, ids })
    return { changed, refused }
  },

  'POST /companies/:company/emails/delete': ({ op, company, body: { ids } }) =>
    deleteEmails(op, { company: company ?? undefined, ids }),

  'POST /companies/:company/emails/clear': ({ op, company }) =>
    clearEmails(op, { company: company ?? undefined }),

  'POST /companies/:company/emails/:email/retry': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    const counts = await retry(op, { email: id })
    if (counts.retried > 0) return { changed: counts.retried }
    throw new OperateError('nothing_to_do', noRetryReason(counts))
  },

  'POST /companies/:company/emails/:email/cancel': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    const { canceled, sending } = await cancelEmail(op, { id })
    return { changed: canceled + sending }
  },

  'POST /companies/:company/emails/:email/recipients/retry': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    return await retryRecipients(op, { id, positions: call.body.positions })
  },

  'POST /companies/:company/emails/:email/recipients/cancel': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    return await cancelRecipients(op, { id, positions: call.body.positions })
  },

  'POST /companies/:company/emails/:email/recipients/suppress': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    const { changed, refused } = await suppressChosenRecipients(op, { id, positions: call.body.positions })
    return { changed, refused }
  },

  'POST /companies/:company/emails/:email/release': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    const { released } = await releaseQuarantined(op, { email: id })
    return { changed: released }
  },

  'POST /companies/:company/emails/:email/suppress': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    await suppressRecipient(op, { id, position: call.body.position, reason: call.body.reason || undefined })
    return { changed: 1 }
  },

  'POST /companies/:company/emails/:email/again': async (call, core) => {
    const email = await emailNamed(core, call)
    const sender = senderOf(core, call.request.raw, { ...call, company: email.origin.companyId })
    return { id: await sendAgain(core, call.request.raw, email, sender, call.body) }
  },

  'POST /companies/:company/emails/:email/reach': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    return { answers: await checkLinks(op, { id, urls: call.body.urls }) }
  },
}
