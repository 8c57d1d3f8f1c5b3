/** Reading `multipart/form-data` (RFC 7578) as it arrives, with every limit applied on the way. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import busboy from 'busboy'
import { type BodyLimit, GONE, welcomeBody } from '../body.ts'
import { ClientGone, Fault } from '../fault.ts'

export interface FormFile {
  field: string
  /** The last component of what the client gave; '' when it gave none. */
  filename: string
  /** Undefined for text/plain, which is also what a part without a type is (RFC 7578 4.4): the name tells more. */
  contentType: string | undefined
  content: Buffer
}

export interface Form {
  /** In the order of arrival; names may repeat. */
  fields: [name: string, value: string][]
  files: FormFile[]
}

const MALFORMED = 'malformed multipart/form-data request'

/**
 * The whole form. Throws a Fault as soon as the body is over its limit, has more than `maxParts` parts or is malformed;
 * ClientGone when the client leaves. The head of a part may have 16 KiB (busboy's own limit).
 */
export async function readMultipart(
  request: IncomingMessage,
  response: ServerResponse,
  limit: BodyLimit,
  maxParts: number,
): Promise<Form> {
  limit.checkDeclared(request)
  if (request.destroyed) throw new ClientGone(GONE)
  const parser = openParser(request, limit.max, maxParts)
  welcomeBody(request, response)
  const form: Form = { fields: [], files: [] }
  return await new Promise((resolve, reject) => {
    let length = 0
    let open = true
    const fail = (error: Error) => {
      if (!open) return
      open = false
      stop()
      request.unpipe(parser)
      parser.destroy()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > limit.max) fail(limit.exceeded())
    }
    const onClose = () => fail(new ClientGone(GONE))
    const stop = () => {
      request.off('data', onData)
      request.off('close', onClose)
    }
    const malformed = (error: unknown) =>
      fail(new Fault({ code: 'body_malformed', detail: MALFORMED }, { cause: error }))
    const tooMany = () =>
      fail(new Fault({ code: 'request_invalid', detail: `Too many form fields, max is ${maxParts}` }))

    parser.on('field', (name, value, { nameTruncated }) => {
      if (nameTruncated)
        fail(new Fault({ code: 'request_invalid', detail: 'The name of a form field is too long' }))
      form.fields.push([name, value])
    })
    parser.on('file', (field, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', malformed)
      stream.on('end', () => {
        form.files.push({
          field: field ?? '',
          filename: filename ?? '',
          contentType: mimeType === 'text/plain' ? undefined : mimeType,
          content: Buffer.concat(chunks),
        })
      })
    })
    parser.on('partsLimit', tooMany)
    parser.on('error', malformed)
    parser.on('close', () => {
      if (!open) return
      open = false
      stop()
      resolve(form)
    })
    request.on('data', onData)
    request.on('close', onClose)
    request.pipe(parser)
  })
}

function openParser(request: IncomingMessage, maxSize: number, maxParts: number) {
  try {
    return busboy({
      headers: request.headers,
      // Browsers and clients write file names as plain UTF-8 (RFC 7578 4.2).
      defParamCharset: 'utf8',
      limits: { parts: maxParts, fieldNameSize: 16_384, fieldSize: maxSize, fileSize: maxSize },
    })
  } catch (error) {
    throw new Fault({ code: 'body_malformed', detail: MALFORMED }, { cause: error })
  }
}
