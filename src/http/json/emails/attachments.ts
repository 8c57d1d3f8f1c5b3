/** The files of an email: their descriptions, and links to their octets. */

import { Fault } from '../../../ingress/fault.ts'
import type { StoredFile } from '../../../store/store.ts'
import type { HttpCore } from '../../core.ts'
import { cursorPage, listPageReader } from '../../cursor-page.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { attachmentId, type DownloadLinks } from '../../stored-files/download-link.ts'
import { type EmailReference, listFiles, roomToList } from '../../stored-files/files.ts'
import { listSchema, PAGE, requireOneDirection } from '../list.ts'
import { timestamp } from '../timestamp.ts'
import { requireReadable } from './find.ts'

const FIELDS = {
  id: { type: 'string', format: 'uuid' },
  filename: { type: 'string' },
  size: { type: 'integer', description: 'In octets.' },
  content_type: { type: 'string' },
  content_disposition: { enum: ['inline', 'attachment'] },
  content_id: { type: 'string', description: 'For a file that the HTML shows.' },
  download_url: { type: 'string', description: 'Downloads the file without a key until it expires.' },
  expires_at: { type: 'string', description: 'When `download_url` expires.' },
} as const

const REQUIRED = [
  'id',
  'filename',
  'size',
  'content_type',
  'content_disposition',
  'download_url',
  'expires_at',
] as const

const ATTACHMENT = {
  type: 'object',
  additionalProperties: false,
  required: REQUIRED,
  properties: FIELDS,
} as const

const ONE_ATTACHMENT = {
  type: 'object',
  additionalProperties: false,
  required: ['object', ...REQUIRED],
  properties: { object: { const: 'attachment' }, ...FIELDS },
} as const

const list = route('GET /emails/:id/attachments', {
  operation: 'attachment_list',
  access: 'key',
  operationId: 'listAttachments',
  summary: 'List the attachments of an email',
  query: { type: 'object', required: ['limit'], properties: PAGE },
  answer: listSchema(ATTACHMENT),
})

const read = route('GET /emails/:id/attachments/:attachment', {
  operation: 'attachment_read',
  access: 'key',
  operationId: 'readAttachment',
  summary: 'Get an attachment of an email',
  answer: ONE_ATTACHMENT,
})

export function attachmentEndpoints(links: DownloadLinks): Endpoint[] {
  const shown = (emailId: string, file: StoredFile, base: string) => {
    const place = { emailId, position: file.position }
    const { url, expiresAt } = links.to(place, base, Date.now())
    return {
      id: attachmentId(place),
      filename: file.filename,
      size: file.size,
      content_type: file.contentType,
      content_disposition: file.disposition,
      ...(file.contentId !== null && { content_id: file.contentId }),
      download_url: url,
      expires_at: timestamp(expiresAt),
    }
  }
  return [
    list(async ({ caller, params, query, request }, { deps, admission, publicUrl }) => {
      const email = await requireReadable(deps, caller, params.id)
      await roomToList(admission, request.raw, email.origin)
      const base = publicUrl.urlOf(request.raw)
      requireOneDirection(query)
      const idOf = ({ position }: StoredFile) => attachmentId({ emailId: email.id, position })
      const files = await listFiles(deps, email)
      // Links are signed for one page only: a message may have thousands of parts.
      const { data, more } = await cursorPage(query, listPageReader(files, idOf, unknownAttachment), idOf)
      return { object: 'list', has_more: more, data: data.map((file) => shown(email.id, file, base)) }
    }),

    read(async ({ caller, params, request }, { deps, admission, publicUrl }) => {
      const email = await requireReadable(deps, caller, params.id)
      await roomToList(admission, request.raw, email.origin)
      const file = await fileNamed(deps, email, params.attachment)
      const base = publicUrl.urlOf(request.raw)
      return { object: 'attachment', ...shown(email.id, file, base) }
    }),
  ]
}

/** Throws a Fault when the email has no such file, or retention has removed it. */
export async function fileNamed(
  deps: HttpCore['deps'],
  email: EmailReference,
  attachment: string,
): Promise<StoredFile> {
  const { id: emailId } = email
  const files = await listFiles(deps, email)
  const found = files.find(({ position }) => attachmentId({ emailId, position }) === attachment.toLowerCase())
  if (found === undefined) throw unknownAttachment()
  return found
}

export function unknownAttachment(): Fault {
  return new Fault({
    code: 'operation_refused',
    why: 'not_found',
    about: null,
    detail: 'Attachment not found',
  })
}
