/** The message as it is sent: its text, its source, and its structure. */
import type { Static } from 'typebox'
import { visibleAccounts } from '../../../operate/authority.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { longJson } from '../../json-pieces.ts'
import { rawCopyOf, readIn } from '../../shown-emails/copy.ts'
import { COPY_QUERY, COPY_TEXT, EMAIL_PARAMS, SOURCE } from '../contract/email.ts'
import { emailNamed } from './found.ts'

/** Octets of the source shown; the download has all of it. */
const MOST_SHOWN = 512 * 1024

const readSource = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/source',
  operation: 'console_email_source',
  access: 'company',
  schema: {
    operationId: 'readEmailSource',
    summary: 'Get the source of an email and its structure',
    params: EMAIL_PARAMS,
    querystring: COPY_QUERY,
    response: { 200: SOURCE },
  },
})(async ({ caller, params, query, request }, core) => {
  const email = await emailNamed(core, caller, params)
  const { addresses, message } = await rawCopyOf(core, request.raw, email, query.recipient)
  const { structure, trouble } = await readIn(core, email, message, { kind: 'structure' })
  const { domains } = visibleAccounts(email.op)
  const isOwn = ({ domain, selector }: { domain: string; selector: string }) =>
    domains.some(({ name, dkim }) => name === domain && dkim.some((key) => key.selector === selector))
  return longJson({
    addresses: addresses.slice(0, 100),
    size: message.length,
    text: message.subarray(0, MOST_SHOWN).toString('utf8').replaceAll('\r\n', '\n'),
    clipped: message.length > MOST_SHOWN,
    fields: structure?.fields.map(([name, value]) => [name, value]) ?? [],
    parts: structure?.parts ?? [],
    signatures: (structure?.signatures ?? []).map((signature) => ({
      ...signature,
      tags: signature.tags.map(([name, value]) => [name, value]),
      own: isOwn(signature),
    })),
    trouble: trouble ?? null,
  } satisfies Static<typeof SOURCE>)
})

const readText = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/emails/:email/text',
  operation: 'console_email_text',
  access: 'company',
  schema: {
    operationId: 'readEmailText',
    summary: 'Get the text of an email as a recipient receives it',
    params: EMAIL_PARAMS,
    querystring: COPY_QUERY,
    response: { 200: COPY_TEXT },
  },
})(async ({ caller, params, query, request }, core) => {
  const email = await emailNamed(core, caller, params)
  const { message } = await rawCopyOf(core, request.raw, email, query.recipient)
  const { text, trouble = null } = await readIn(core, email, message, { kind: 'text' })
  return longJson({ ...(text ?? { text: null, clipped: false }), trouble } satisfies Static<typeof COPY_TEXT>)
})

export const sourceRoutes: readonly Endpoint[] = [readSource, readText]
