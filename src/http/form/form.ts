/** What a form holds, however it was encoded. */
import { isUtf8 } from 'node:buffer'
import { clip, Fault } from '../fault.ts'

export interface FormFile {
  field: string
  /** As given; undefined when the client gave none, and the part is a field. */
  filename: string | undefined
  /** As given, with its parameters; undefined when there was none. */
  contentType: string | undefined
  content: Buffer
}

export interface Form {
  /** In the order of arrival; names may repeat. */
  fields: [name: string, value: string][]
  files: FormFile[]
}

/** Fields whose octets matter as they are, also where a client sends them without a file name. */
const FILE_FIELDS = new Set(['attachment', 'inline', 'message'])

export function isFileField(name: string): boolean {
  return FILE_FIELDS.has(fieldName(name))
}

/** What a field is called here: names are told apart by letters, not by case, so that none is overlooked. */
export function fieldName(name: string): string {
  return unbracketed(name).toLowerCase()
}

/** The name without the brackets some clients put behind a repeated one: `to[]`, `attachment[0]`. */
function unbracketed(name: string): string {
  const bracket = name.endsWith(']') ? name.indexOf('[') : -1
  return bracket > 0 ? name.slice(0, bracket) : name
}

/** The value of the field `name`; nothing is replaced silently. `advice`: what a Fault says beside what is wrong. */
export function decodeText(octets: Buffer, charset: string, name: string, advice = ''): string {
  if (/^utf-?8$/i.test(charset) && isUtf8(octets)) return octets.toString('utf8')
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(octets)
  } catch (cause) {
    const detail = `The value of ${clip(name)} is not text in ${clip(charset)}${advice}`
    throw new Fault({ code: 'request_invalid', detail }, { cause })
  }
}
