/** The content of a form, whatever its encoding. */
import { isUtf8 } from 'node:buffer'
import { clip } from '../../common/clip.ts'
import { Fault } from '../fault.ts'

export interface FormFile {
  field: string
  /** As sent; undefined when the part has none, and is a field. */
  filename: string | undefined
  /** As sent, with its parameters; undefined when there is none. */
  contentType: string | undefined
  content: Buffer
}

export interface Form {
  /** In the order of arrival; names may repeat. */
  fields: [name: string, value: string][]
  files: FormFile[]
}

/** Fields whose octets are kept unchanged, also when a client sends them without a file name. */
const FILE_FIELDS = new Set(['attachment', 'inline', 'message'])

export function isFileField(name: string): boolean {
  return FILE_FIELDS.has(fieldName(name))
}

/** The canonical name of a field: case is ignored, so that no field is overlooked. */
export function fieldName(name: string): string {
  return unbracketed(name).toLowerCase()
}

/** The name without the brackets that some clients append to a repeated one: `to[]`, `attachment[0]`. */
function unbracketed(name: string): string {
  const bracket = name.endsWith(']') ? name.indexOf('[') : -1
  return bracket > 0 ? name.slice(0, bracket) : name
}

/**
 * Decodes the value of the field `name` without replacing anything silently. `advice` is appended to the detail of a
 * Fault.
 */
export function decodeText(octets: Buffer, charset: string, name: string, advice = ''): string {
  if (/^utf-?8$/i.test(charset) && isUtf8(octets)) return octets.toString('utf8')
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(octets)
  } catch (cause) {
    const detail = `The value of ${clip(name)} is not text in ${clip(charset)}${advice}`
    throw new Fault({ code: 'request_invalid', detail }, { cause })
  }
}
