/** Actions on an email: try now, cancel, suppress a recipient, send again. */

import { reachLinks } from '../../../operate/email-links.ts'
import { suppressRecipient } from '../../../operate/email-recipient.ts'
import { cancelEmail } from '../../../operate/emails.ts'
import { OperateError } from '../../../operate/error.ts'
import { releaseQuarantined } from '../../../operate/quarantine.ts'
import { retry } from '../../../operate/queue.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { CHANGED, EMAIL_PARAMS, REACH, REACHED, SEND_AGAIN, SENT, SUPPRESS } from '../contract/email.ts'
import { senderOf } from '../sender.ts'
import { emailNamed } from './found.ts'
import { sendAgain } from './send-again.ts'

const EMAIL = '/console/api/companies/:company/emails/:email'

const retryEmail = endpoint({
  method: 'POST',
  url: `${EMAIL}/retry`,
  operation: 'console_email_retry',
  access: 'company',
  schema: {
    operationId: 'retryEmail',
    summary: 'Retry the waiting recipients now',
    params: EMAIL_PARAMS,
    response: { 200: CHANGED },
  },
})(async ({ caller, params }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  const { retried, paused, held } = await retry(op, { email: id })
  if (retried > 0) return { status: 200, body: { changed: retried } }
  const why =
    paused > 0
      ? 'this mail is paused: an operator has to resume it'
      : held > 0
        ? 'its sending domain may not send: activate the domain first'
        : 'it is already being delivered'
  throw new OperateError('nothing_to_do', why)
})

const cancel = endpoint({
  method: 'POST',
  url: `${EMAIL}/cancel`,
  operation: 'console_email_cancel',
  access: 'company',
  schema: {
    operationId: 'cancelEmail',
    summary: 'Cancel the recipients not sent to yet',
    params: EMAIL_PARAMS,
    response: { 200: CHANGED },
  },
})(async ({ caller, params }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  const { canceled, sending } = await cancelEmail(op, { id })
  return { status: 200, body: { changed: canceled + sending } }
})

const release = endpoint({
  method: 'POST',
  url: `${EMAIL}/release`,
  operation: 'console_email_release',
  access: 'company',
  schema: {
    operationId: 'releaseEmail',
    summary: 'Release an email from quarantine',
    params: EMAIL_PARAMS,
    response: { 200: CHANGED },
  },
})(async ({ caller, params }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  const { released } = await releaseQuarantined(op, { email: id })
  return { status: 200, body: { changed: released } }
})

const suppress = endpoint({
  method: 'POST',
  url: `${EMAIL}/suppress`,
  operation: 'console_email_suppress',
  access: 'company',
  schema: {
    operationId: 'suppressRecipient',
    summary: 'Suppress a recipient',
    params: EMAIL_PARAMS,
    body: SUPPRESS,
    response: { 200: CHANGED },
  },
})(async ({ caller, params, body }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  await suppressRecipient(op, { id, position: body.position, reason: body.reason || undefined })
  return { status: 200, body: { changed: 1 } }
})

const again = endpoint({
  method: 'POST',
  url: `${EMAIL}/again`,
  operation: 'console_email_again',
  access: 'company',
  schema: {
    operationId: 'sendEmailAgain',
    summary: 'Send an email again, as a new email',
    params: EMAIL_PARAMS,
    body: SEND_AGAIN,
    response: { 200: SENT },
  },
})(async ({ caller, params, body, request }, core) => {
  const email = await emailNamed(core, caller, params)
  const sender = senderOf(core, request.raw, { ...caller, company: email.origin.companyId })
  return { status: 200, body: { id: await sendAgain(core, request.raw, email, sender, body) } }
})

const reach = endpoint({
  method: 'POST',
  url: `${EMAIL}/reach`,
  operation: 'console_email_reach',
  access: 'company',
  schema: {
    operationId: 'reachLinks',
    summary: 'Check whether the linked objects of an email exist',
    params: EMAIL_PARAMS,
    body: REACH,
    response: { 200: REACHED },
  },
})(async ({ caller, params, body }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  return { status: 200, body: { answers: await reachLinks(op, { id, urls: body.urls }) } }
})

export const actionRoutes: readonly Endpoint[] = [retryEmail, cancel, release, suppress, again, reach]
