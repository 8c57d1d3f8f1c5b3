/** `application/x-www-form-urlencoded` (WHATWG URL 5.1), strict about what cannot be decoded. */
import { Fault } from '../fault.ts'
import type { Form } from './form.ts'

/** Throws a Fault for an escape that is not UTF-8 and for more than `maxFields` fields. */
export function readUrlencoded(body: Buffer, maxFields: number): Form {
  const text = body.toString('utf8')
  const fields: [string, string][] = []
  let start = 0
  while (start < text.length) {
    let end = text.indexOf('&', start)
    if (end < 0) end = text.length
    if (end > start) {
      if (fields.length === maxFields) {
        throw new Fault({ code: 'request_invalid', detail: `Too many form fields, max is ${maxFields}` })
      }
      const pair = text.slice(start, end)
      const equals = pair.indexOf('=')
      fields.push(
        equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))],
      )
    }
    start = end + 1
  }
  return { fields, files: [] }
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch (error) {
    throw new Fault(
      { code: 'body_malformed', detail: 'unable to parse request: invalid URL escape' },
      { cause: error },
    )
  }
}
