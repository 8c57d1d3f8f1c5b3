/** `GET /emails/{id}/attachments/{attachment}/download`: the octets of a file, for anyone who has its link. */
import type { FastifyRequest } from 'fastify'
import type { LongAnswer } from '../../answer.ts'
import type { HttpCore } from '../../core.ts'
import type { DownloadLinks } from '../../stored-files/download-link.ts'
import { fileAnswer } from '../../stored-files/file-answer.ts'
import { readFile, roomToList } from '../../stored-files/files.ts'
import { fileNamed, unknownAttachment } from './attachments.ts'
import { unknownEmail } from './find.ts'

export const DOWNLOAD_PATH = '/emails/:id/attachments/:attachment/download'

export interface DownloadRoute {
  Params: { id: string; attachment: string }
  Querystring: Record<string, unknown>
}

/** Throws a Fault for a link that this service did not sign, or that has expired. */
export async function download(
  { raw, params, query }: FastifyRequest<DownloadRoute>,
  { deps, admission }: HttpCore,
  links: DownloadLinks,
): Promise<LongAnswer> {
  const emailId = params.id.toLowerCase()
  const attachment = params.attachment.toLowerCase()
  // The signature is checked before any look-up, so that a forged link causes no work.
  links.check(attachment, query, Date.now())
  const origin = await deps.store.emailOrigin(emailId)
  if (origin === null) throw unknownEmail()
  // The request counts towards the share of the company that owns the file.
  admission.admit(raw, origin.companyId)
  const email = { id: emailId, origin }
  await roomToList(admission, raw, origin)
  const { position, filename, contentType, size } = await fileNamed(deps, email, attachment)
  if (origin.rawOctets === null) await admission.reserve(raw, size)
  const octets = await readFile(deps, email, position)
  if (octets === null) throw unknownAttachment()
  return fileAnswer({ filename, contentType, octets })
}
