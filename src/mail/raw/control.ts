/** The X-Mailgun-* fields of a ready message: wishes of the sender to the service, not part of what is sent. */
import { decodeText } from './decode.ts'
import { clip, type RawField } from './header.ts'
import { RawError } from './lines.ts'

export interface RawControl {
  /** X-Mailgun-Tag, in order. */
  tags: string[]
  /** X-Mailgun-Variables; values that are no strings are given as JSON. */
  variables: Record<string, string>
  /** X-Mailgun-Recipient-Variables, by plain address; `{}` switches batch sending on as well. Absent when not named. */
  recipientVariables?: Record<string, Record<string, string>>
  /** X-Mailgun-Drop-Message: accept and record, do not send. */
  testMode: boolean
  /** X-Mailgun-Deliver-By: Unix milliseconds before which nothing is sent. */
  deliverBy?: number
}

export const isControlField = (lower: string) => lower.startsWith('x-mailgun-')

/** Reads the control fields. Throws RawError naming the field when a value cannot be understood. */
export function readControl(fields: readonly RawField[]): RawControl {
  const control: RawControl = { tags: [], variables: {}, testMode: false }
  for (const field of fields) {
    if (!isControlField(field.lower)) continue
    const value = decodeText(field.value).trim()
    switch (field.lower) {
      case 'x-mailgun-tag':
        if (value !== '') control.tags.push(value)
        break
      case 'x-mailgun-drop-message':
        control.testMode = /^(?:yes|true)$/i.test(value)
        break
      case 'x-mailgun-deliver-by':
        control.deliverBy = readTime(field.name, value)
        break
      case 'x-mailgun-variables':
        control.variables = { ...control.variables, ...strings(readObject(field.name, value)) }
        break
      case 'x-mailgun-recipient-variables': {
        const byAddress = Object.entries(readObject(field.name, value)).map(([address, values]) => {
          if (!isObject(values))
            throw new RawError(`${field.name}: the value for ${clip(address)} is not a JSON object.`)
          return [address, strings(values)] as const
        })
        control.recipientVariables = { ...control.recipientVariables, ...Object.fromEntries(byAddress) }
        break
      }
    }
  }
  return control
}

/** Seconds since 1970, or a date-time by RFC 5322 3.3. */
function readTime(name: string, value: string): number {
  const time = /^\d{1,12}(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value)
  if (Number.isNaN(time)) {
    throw new RawError(
      `${name}: "${clip(value)}" is neither an RFC 2822 date such as "Fri, 14 Oct 2031 09:00:00 +0000" nor a Unix time.`,
    )
  }
  return Math.round(time)
}

function readObject(name: string, value: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    throw new RawError(`${name} is not valid JSON: "${clip(value)}".`)
  }
  if (!isObject(parsed)) throw new RawError(`${name} is not a JSON object: "${clip(value)}".`)
  return parsed
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function strings(values: Record<string, unknown>): Record<string, string> {
  // fromEntries makes own properties of all names, `__proto__` included.
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}
