/** Documents of an email, shown or downloaded: its HTML for a frame, its files, its source. */
import type { LongAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { rawCopyOf, readIn } from '../../shown-emails/copy.ts'
import { LINK_SIGNATURES, linkSigner } from '../../shown-emails/external-link.ts'
import { frameAnswer, frameOfText } from '../../shown-emails/frame.ts'
import { pictureType } from '../../shown-emails/picture.ts'
import { fileAnswer } from '../../stored-files/file-answer.ts'
import { listFiles, readFile, roomToList } from '../../stored-files/files.ts'
import { type ConsoleDocument, document } from '../document.ts'
import { externalLinkPage } from './external-link-page.ts'
import { emailNamed } from './found.ts'

const EMAIL = '/console/api/companies/:company/emails/:email'

const preview = document({
  method: 'GET',
  url: `${EMAIL}/preview`,
  operation: 'console_email_preview',
  access: 'company',
  async work({ caller, params, query, request }, core): Promise<LongAnswer> {
    const email = await emailNamed(core, caller, params as { email: string })
    const { message } = await rawCopyOf(core, request.raw, email, query.recipient)
    const signer = linkSigner(core.deps.derive(LINK_SIGNATURES), caller.person.id, Date.now())
    const { preview, trouble } = await readIn(core, email, message, { kind: 'preview', signer })
    const html = preview?.html ?? frameOfText(trouble ?? 'This email has no HTML.')
    return frameAnswer(html, query.remote === '1')
  },
})

const file = document({
  method: 'GET',
  url: `${EMAIL}/files/:position`,
  operation: 'console_email_file',
  access: 'company',
  async work({ caller, params, query, request }, core) {
    const { deps, limit } = core
    const email = await emailNamed(core, caller, params as { email: string })
    const { origin } = email
    await roomToList(limit.admission, request.raw, origin)
    const found = (await listFiles(deps, email)).find(({ position }) => String(position) === params.position)
    if (found === undefined) throw noSuchFile()
    if (origin.rawOctets === null) await limit.admission.reserve(request.raw, found.size)
    const octets = await readFile(deps, email, found.position)
    if (octets === null) throw noSuchFile()
    const { filename, contentType } = found
    if (query.shown !== '1') return fileAnswer({ filename, contentType, octets })
    const type = pictureType(octets)
    if (type === null) throw noSuchFile('This file is not an image that can be shown')
    return fileAnswer({ filename, contentType: type, octets, inline: true })
  },
})

function noSuchFile(detail = 'File not found'): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', about: null, detail })
}

const source = document({
  method: 'GET',
  url: `${EMAIL}/source.eml`,
  operation: 'console_email_source_file',
  access: 'company',
  async work({ caller, params, query, request }, core) {
    const email = await emailNamed(core, caller, params as { email: string })
    const { message } = await rawCopyOf(core, request.raw, email, query.recipient)
    return fileAnswer({
      filename: `${email.id}.eml`,
      contentType: 'message/rfc822',
      octets: message,
    })
  },
})

export const emailDocuments: readonly ConsoleDocument[] = [preview, file, source, externalLinkPage]
