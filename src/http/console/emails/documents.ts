/** Documents of an email, shown or downloaded: its HTML for a frame, its files, its source. */
import { Fault } from '../../../ingress/fault.ts'
import { rawCopyOf, readIn } from '../../shown-emails/copy.ts'
import { LINK_SIGNATURES, linkSigner } from '../../shown-emails/external-link.ts'
import { frameAnswer, frameOfText } from '../../shown-emails/frame.ts'
import { pictureType } from '../../shown-emails/picture.ts'
import { fileAnswer } from '../../stored-files/file-answer.ts'
import { listFiles, readFile, roomToList } from '../../stored-files/files.ts'
import type { EMAIL_DOCUMENT_ROUTES } from '../contract/email.ts'
import type { Handlers } from '../handlers.ts'
import { emailNamed } from './email-lookup.ts'

function noSuchFile(detail = 'File not found'): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', about: null, detail })
}

export const emailDocumentHandlers: Handlers<typeof EMAIL_DOCUMENT_ROUTES> = {
  'GET /companies/:company/emails/:email/preview': async (call, core) => {
    const email = await emailNamed(core, call)
    const { message } = await rawCopyOf(core, call.request.raw, email, call.query.recipient)
    const signer = linkSigner(core.deps.derive(LINK_SIGNATURES), call.person.id, Date.now())
    const { preview, trouble } = await readIn(core, email, message, { kind: 'preview', signer })
    const html = preview?.html ?? frameOfText(trouble ?? 'This email has no HTML.')
    if (call.query.remote !== '1') return frameAnswer(html, 'none')
    // In capture mode an email may come from an application on the viewer's machine, with its pictures.
    return frameAnswer(html, core.deps.settings.delivery.kind === 'capture' ? 'web-and-own-machine' : 'web')
  },

  'GET /companies/:company/emails/:email/files/:position': async (call, core) => {
    const { deps, admission } = core
    const email = await emailNamed(core, call)
    const { origin } = email
    await roomToList(admission, call.request.raw, origin)
    const found = (await listFiles(deps, email)).find(
      ({ position }) => String(position) === call.params.position,
    )
    if (found === undefined) throw noSuchFile()
    if (origin.rawOctets === null) await admission.reserve(call.request.raw, found.size)
    const octets = await readFile(deps, email, found.position)
    if (octets === null) throw noSuchFile()
    const { filename, contentType } = found
    if (call.query.shown !== '1') return fileAnswer({ filename, contentType, octets })
    const type = pictureType(octets)
    if (type === null) throw noSuchFile('This file is not an image that can be shown')
    return fileAnswer({ filename, contentType: type, octets, inline: true })
  },

  'GET /companies/:company/emails/:email/source.eml': async (call, core) => {
    const email = await emailNamed(core, call)
    const { message } = await rawCopyOf(core, call.request.raw, email, call.query.recipient)
    return fileAnswer({
      filename: `${email.id}.eml`,
      contentType: 'message/rfc822',
      octets: message,
    })
  },
}
