/** The message as it is sent: its text, its source, and its structure. */
import type { Static } from 'typebox'
import { dkimRecordName } from '../../../accounts/dns-records.ts'
import { accountsOf, visibleAccounts } from '../../../operate/authority.ts'
import { longJson } from '../../json-pieces.ts'
import { rawCopyOf, readIn } from '../../shown-emails/copy.ts'
import type { COPY_TEXT, EMAIL_SOURCE_ROUTES, SOURCE } from '../contract/email.ts'
import type { Handlers } from '../handlers.ts'
import { emailNamed } from './email-lookup.ts'

/** Octets of the source shown; the download has all of it. */
const MAX_SHOWN = 512 * 1024

export const emailSourceHandlers: Handlers<typeof EMAIL_SOURCE_ROUTES> = {
  'GET /companies/:company/emails/:email/source': async (call, core) => {
    const email = await emailNamed(core, call)
    const { addresses, message } = await rawCopyOf(core, call.request.raw, email, call.query.recipient)
    const { structure, trouble } = await readIn(core, email, message, { kind: 'structure' })
    // Another company may have added the same name.
    const { domains } = accountsOf(visibleAccounts(email.op), email.origin.companyId)
    const keyOf = (signature: { domain: string; selector: string }) => {
      const domain = domains.find(({ name }) => name === signature.domain)
      const key = domain?.dkim.find(({ selector }) => selector === signature.selector)
      return domain && key ? { domain: domain.id, record: dkimRecordName(key, domain) } : null
    }
    return longJson({
      addresses: addresses.slice(0, 100),
      size: message.length,
      text: message.subarray(0, MAX_SHOWN).toString('utf8').replaceAll('\r\n', '\n'),
      clipped: message.length > MAX_SHOWN,
      fields: structure?.fields.map(([name, value]) => [name, value]) ?? [],
      parts: structure?.parts ?? [],
      signatures: (structure?.signatures ?? []).map((signature) => ({
        ...signature,
        tags: signature.tags.map(([name, value]) => [name, value]),
        key: keyOf(signature),
      })),
      trouble: trouble ?? null,
    } satisfies Static<typeof SOURCE>)
  },

  'GET /companies/:company/emails/:email/text': async (call, core) => {
    const email = await emailNamed(core, call)
    const { message } = await rawCopyOf(core, call.request.raw, email, call.query.recipient)
    const { text, trouble = null } = await readIn(core, email, message, { kind: 'text' })
    return longJson({ ...(text ?? { text: null, clipped: false }), trouble } satisfies Static<
      typeof COPY_TEXT
    >)
  },
}
