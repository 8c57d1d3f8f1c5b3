import { parseJson } from '../../ingress/json-text/parse.ts'
import { type Form, fieldName } from '../../ingress/message-form/form.ts'
import { invalidField } from '../../intake/refusal.ts'
import type { BodyContent } from '../endpoint.ts'
import { checkNotEncoded, mediaTypeName } from '../media-type.ts'
import { expectType, MULTIPART, readForm, URLENCODED } from './request.ts'

const JSON_NAME = 'application/json'
const MAX_FIELDS = 2_000
/** `{`: the JavaScript and Ruby clients label JSON as a form when they delete a tag. No field name begins with it. */
const OBJECT = 0x7b

/** Bodies of this dialect: form fields, with a repeated one as an array. Newer clients send JSON. */
export const formContent: BodyContent = {
  check(headers) {
    checkNotEncoded(headers['content-encoding'])
    const type = mediaTypeName(headers['content-type'])
    // Clients send no Content-Type when there are no fields.
    if (type !== '') expectType(type, [MULTIPART, URLENCODED, JSON_NAME])
  },
  readBody(body, headers) {
    const contentType = headers['content-type']
    const type = mediaTypeName(contentType)
    if (type === JSON_NAME || (type === URLENCODED && body[0] === OBJECT)) return parseJson(body)
    return valuesOf(readForm({ contentType, maxParts: MAX_FIELDS }, body))
  },
  isText: true,
}

function valuesOf({ fields, files }: Form): Record<string, string | string[]> {
  const [file] = files
  if (file) throw invalidField(file.field, 'files are not accepted here')
  const values = Map.groupBy(fields, ([name]) => fieldName(name))
  // fromEntries defines own properties, so that `__proto__` is a name like any other.
  return Object.fromEntries(
    [...values].map(([name, given]) => {
      const texts = given.map(([, value]) => value)
      return [name, texts.length === 1 ? texts[0]! : texts]
    }),
  )
}
