import { OperateError } from '../../operate/error.ts'

/** The time in a field of a query, in Unix ms. Throws OperateError for text that is not a time. */
export function timeIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (at >= 0) return at
  throw new OperateError('invalid', `"${name}" is not a time such as 2026-01-31T09:00:00Z`)
}
