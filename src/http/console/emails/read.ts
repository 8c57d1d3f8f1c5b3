/** One email: what became of it, what comes next, and what is in it. */

import { companyName } from '../../../operate/find.ts'
import { neighboursOf, nextSteps } from '../../../operate/next-step.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { listFiles } from '../../stored-files/files.ts'
import { CONTENT, EMAIL_DETAIL, EMAIL_PARAMS, NEIGHBOURS } from '../contract/email.ts'
import { emailDetail, RECIPIENTS_LISTED } from './email-detail.ts'
import { emailNamed } from './found.ts'
import { isPicture } from './picture.ts'

/** Characters of each of HTML and text; whoever wants all of it loads the source down. */
const LONGEST_BODY = 1024 * 1024

const readEmail = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email',
  operation: 'console_email_read',
  access: 'company',
  schema: {
    operationId: 'readEmailInFull',
    summary: 'What became of an email, and what comes next',
    params: EMAIL_PARAMS,
    querystring: {
      type: 'object',
      additionalProperties: false,
      required: [],
      properties: { from: { type: 'integer', minimum: 0, maximum: 1_000_000 } },
    },
    response: { 200: EMAIL_DETAIL },
  },
})(async ({ caller, params, query }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  const found = await nextSteps(op, { id })
  const { companyId } = found.history.email
  return {
    status: 200,
    body: {
      ...emailDetail(found, query.from ?? 0),
      company: { id: companyId, name: companyName(op, companyId) },
      mostAttempts: core.deps.settings.retrySchedule.length + 1,
    },
  }
})

const readNeighbours = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/neighbours',
  operation: 'console_email_neighbours',
  access: 'company',
  schema: {
    operationId: 'readEmailNeighbours',
    summary: 'The emails of the company before and behind it',
    params: EMAIL_PARAMS,
    response: { 200: NEIGHBOURS },
  },
})(async ({ caller, params }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  return { status: 200, body: await neighboursOf(op, { id }) }
})

const readContent = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/content',
  operation: 'console_email_content',
  access: 'company',
  schema: {
    operationId: 'readEmailContent',
    summary: 'What is in an email',
    params: EMAIL_PARAMS,
    response: { 200: CONTENT },
  },
})(async ({ caller, params, request }, core) => {
  const { id, origin, op } = await emailNamed(core, caller, params)
  const { deps, limit } = core
  await limit.admission.reserve(request.raw, origin.octets + (origin.rawOctets ?? 0))
  const { history } = await nextSteps(op, { id })
  const [told] = await op.store.readTold([{ emailId: id, recipient: null, known: false }], 1)
  const files = await listFiles(deps, { id, origin })
  const { content, contentRemoved } = history.email
  const individual = told?.email?.individual ?? false
  const bodies = ['html', 'text', 'amp'] as const
  return {
    status: 200,
    body: {
      removed: contentRemoved,
      ready: origin.rawOctets !== null,
      individual,
      recipientVariables: individual
        ? Object.fromEntries(
            history.recipients
              .slice(0, RECIPIENTS_LISTED)
              .map(({ address, variables }) => [address, variables ?? {}]),
          )
        : null,
      html: content.html?.slice(0, LONGEST_BODY) ?? null,
      text: content.text?.slice(0, LONGEST_BODY) ?? null,
      amp: content.amp?.slice(0, LONGEST_BODY) ?? null,
      clipped: bodies.filter((name) => (content[name]?.length ?? 0) > LONGEST_BODY),
      headers: content.headers.map(([name, value]) => [name, value]),
      files: files.map(({ position, filename, contentType, disposition, contentId, size }) => ({
        ...{ position, filename, contentType, contentId, disposition, size },
        picture: isPicture(contentType),
      })),
    },
  }
})

export const readRoutes: readonly Endpoint[] = [readEmail, readNeighbours, readContent]
