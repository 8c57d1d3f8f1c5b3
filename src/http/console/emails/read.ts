/** One email: its events, its next steps, and its content. */

import type { Static } from 'typebox'
import { showDialogue } from '../../../operate/emails.ts'
import { companyName, noSuchEmail } from '../../../operate/find.ts'
import { neighboursOf, nextSteps } from '../../../operate/next-step.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { JsonText, longJson } from '../../json-pieces.ts'
import { isPicture } from '../../shown-emails/picture.ts'
import { listFiles } from '../../stored-files/files.ts'
import {
  ATTEMPT_PARAMS,
  CONTENT,
  DIALOGUE,
  EMAIL_DETAIL,
  EMAIL_PARAMS,
  NEIGHBOURS,
} from '../contract/email.ts'
import { emailDetail, PAGE, PAGE_OCTETS } from './email-detail.ts'
import { emailNamed } from './found.ts'

/** Octets of HTML and of text, each; the download of the source has the rest. */
const LONGEST_BODY = 1024 * 1024
/** Octets of the values of all recipients shown. */
const MOST_VALUES = 256 * 1024

type Content = Omit<Static<typeof CONTENT>, 'recipientVariables'> & {
  recipientVariables: Record<string, JsonText> | null
}

const readEmail = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email',
  operation: 'console_email_read',
  access: 'company',
  schema: {
    operationId: 'readEmailInFull',
    summary: 'Get an email with its recipients, events and next steps',
    params: EMAIL_PARAMS,
    querystring: {
      type: 'object',
      additionalProperties: false,
      required: [],
      properties: { from: { type: 'integer', minimum: 0, maximum: 1_000_000 } },
    },
    response: { 200: EMAIL_DETAIL },
  },
})(async ({ caller, params, query, request }, core) => {
  const { id, origin, op } = await emailNamed(core, caller, params)
  await core.limit.admission.reserve(request.raw, origin.outlineOctets + PAGE_OCTETS)
  const found = await nextSteps(op, { id, from: query.from ?? 0, ...PAGE })
  const { companyId } = origin
  return longJson({
    ...emailDetail(found),
    company: { id: companyId, name: companyName(op, companyId) },
    mostAttempts: core.deps.settings.retrySchedule.length + 1,
  } satisfies Static<typeof EMAIL_DETAIL>)
})

const readDialogue = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/attempts/:attempt',
  operation: 'console_email_dialogue',
  access: 'company',
  schema: {
    operationId: 'readDialogue',
    summary: 'Get the SMTP dialogue of an attempt',
    params: ATTEMPT_PARAMS,
    response: { 200: DIALOGUE },
  },
})(async ({ caller, params }, core) => {
  const { id, op } = await emailNamed(core, caller, params)
  return { status: 200, body: { dialogue: await showDialogue(op, { id, attempt: params.attempt }) } }
})

const readNeighbours = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/neighbours',
  operation: 'console_email_neighbours',
  access: 'company',
  schema: {
    operationId: 'readEmailNeighbours',
    summary: 'Get the previous and the next email of the company',
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
    summary: 'Get the content of an email',
    params: EMAIL_PARAMS,
    response: { 200: CONTENT },
  },
})(async ({ caller, params, request }, core) => {
  const { id, origin } = await emailNamed(core, caller, params)
  const { deps, limit } = core
  const room = Math.min(origin.octets, 3 * LONGEST_BODY) + MOST_VALUES + (origin.rawOctets ?? 0)
  await limit.admission.reserve(request.raw, room)
  const content = await deps.store.readContent(id, LONGEST_BODY)
  // Retention may have removed it in the meantime.
  if (content === null) throw noSuchEmail(id)
  const { individual } = content
  const values = { from: 0, limit: PAGE.limit, octets: MOST_VALUES }
  const files = await listFiles(deps, { id, origin })
  const bodies = ['html', 'text', 'amp'] as const
  return longJson({
    removed: content.contentRemoved,
    ready: origin.rawOctets !== null,
    individual,
    recipientVariables: individual
      ? Object.fromEntries(
          (await deps.store.readValues(id, values)).map(({ address, variables }) => [
            address,
            new JsonText(variables),
          ]),
        )
      : null,
    html: content.html?.beginning ?? null,
    text: content.text?.beginning ?? null,
    amp: content.amp?.beginning ?? null,
    clipped: bodies.filter((name) => content[name]?.clipped === true),
    headers: content.headers.map(([name, value]) => [name, value]),
    files: files.map(({ position, filename, contentType, disposition, contentId, size }) => ({
      position,
      filename,
      contentType,
      contentId,
      disposition,
      size,
      picture: isPicture(contentType),
    })),
  } satisfies Content)
})

export const readRoutes: readonly Endpoint[] = [readEmail, readDialogue, readNeighbours, readContent]
