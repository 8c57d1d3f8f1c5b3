/** One email: its events, its next steps, and its content. */
import type { Static } from 'typebox'
import { showDialogue } from '../../../operate/emails.ts'
import { companyName, noSuchEmail } from '../../../operate/find.ts'
import { neighboursOf, nextSteps } from '../../../operate/next-step.ts'
import { underWayOf } from '../../../operate/under-way.ts'
import { JsonText, longJson } from '../../json-pieces.ts'
import { isPicture } from '../../shown-emails/picture.ts'
import { listFiles } from '../../stored-files/files.ts'
import type { CONTENT, EMAIL_DETAIL, EMAIL_ROUTES } from '../contract/email.ts'
import type { Handlers } from '../handlers.ts'
import { emailDetail, PAGE, PAGE_OCTETS } from './email-detail.ts'
import { emailNamed } from './email-lookup.ts'

/** Octets of HTML and of text, each; the download of the source has the rest. */
const LONGEST_BODY = 1024 * 1024
/** Octets of the values of all recipients shown. */
const MAX_VALUES = 256 * 1024

type EmailContentJson = Omit<Static<typeof CONTENT>, 'recipientVariables'> & {
  recipientVariables: Record<string, JsonText> | null
}

export const emailHandlers: Handlers<typeof EMAIL_ROUTES> = {
  'GET /companies/:company/emails/:email': async (call, core) => {
    const { id, origin, op } = await emailNamed(core, call)
    await core.admission.reserve(call.request.raw, origin.outlineOctets + PAGE_OCTETS)
    const found = await nextSteps(op, { id, from: call.query.from ?? 0, ...PAGE })
    const now = op.now()
    const [counts] = await core.deps.store.recipientCounts([id], now)
    const { companyId } = origin
    return longJson({
      ...emailDetail(found, await underWayOf(op, found), counts ?? null, now),
      company: { id: companyId, name: companyName(op, companyId) },
    } satisfies Static<typeof EMAIL_DETAIL>)
  },

  'GET /companies/:company/emails/:email/attempts/:attempt': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    return { dialogue: await showDialogue(op, { id, attempt: call.params.attempt }) }
  },

  'GET /companies/:company/emails/:email/neighbours': async (call, core) => {
    const { id, op } = await emailNamed(core, call)
    return await neighboursOf(op, { id })
  },

  'GET /companies/:company/emails/:email/content': async (call, core) => {
    const { id, origin } = await emailNamed(core, call)
    const { deps, admission } = core
    const room = Math.min(origin.octets, 3 * LONGEST_BODY) + MAX_VALUES + (origin.rawOctets ?? 0)
    await admission.reserve(call.request.raw, room)
    const content = await deps.store.readContent(id, LONGEST_BODY)
    // Retention may have removed it in the meantime.
    if (content === null) throw noSuchEmail(id)
    const { individual } = content
    const values = { from: 0, limit: PAGE.limit, octets: MAX_VALUES }
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
    } satisfies EmailContentJson)
  },
}
