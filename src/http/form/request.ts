/** Turns the octets of a form request into a submission, by encoding and endpoint. */

import { clip } from '../../common/clip.ts'
import { Fault } from '../../ingress/fault.ts'
import type { Form } from '../../ingress/message-form/form.ts'
import { readMessage, readMimeMessage } from '../../ingress/message-form/submission.ts'
import type { Submission } from '../../intake/submission.ts'
import { mediaTypeName } from '../media-type.ts'
import { readMultipart } from './multipart.ts'
import { readUrlencoded } from './urlencoded.ts'

export const MULTIPART = 'multipart/form-data'
export const URLENCODED = 'application/x-www-form-urlencoded'

/** The facts of a request besides its body. Plain data. */
export interface FormRequest {
  /** The domain in the path. */
  domain: string
  /** True for `messages.mime`. */
  mime: boolean
  contentType: string | undefined
  /** Whether unsubscribe links can be created: the service has a URL that recipients can reach. */
  links: boolean
  /** The most fields and files together. */
  maxParts: number
}

/** Throws a Fault, before the body arrives, when a body of this type cannot be read. */
export function checkFormType({ contentType, mime }: FormRequest, empty: boolean): void {
  const type = mediaTypeName(contentType)
  if (type === '' && empty && !mime) return
  expectType(type, mime ? [MULTIPART] : [MULTIPART, URLENCODED])
}

/** Throws a Fault when a request is of none of these types. */
export function expectType(type: string, expected: readonly string[]): void {
  if (expected.includes(type)) return
  const named = expected.map((name) => `'${name}'`).join(' or ')
  throw new Fault({
    code: 'request_invalid',
    detail: `Invalid request content type. Expecting ${named} but got '${clip(type)}'`,
  })
}

/** Throws a Fault or a Refusal for an unreadable form. */
export function readFormRequest(request: FormRequest, body: Buffer): Submission {
  checkFormType(request, body.length === 0)
  const form = readForm(request, body)
  return request.mime ? readMimeMessage(request.domain, form) : readMessage(request, form)
}

export function readForm(
  { contentType = '', maxParts }: Pick<FormRequest, 'contentType' | 'maxParts'>,
  body: Buffer,
): Form {
  switch (mediaTypeName(contentType)) {
    case MULTIPART:
      return readMultipart(body, contentType, maxParts)
    case URLENCODED:
      return readUrlencoded(body, maxParts, contentType)
    default:
      return { fields: [], files: [] }
  }
}
