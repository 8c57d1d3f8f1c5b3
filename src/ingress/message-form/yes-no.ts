import { clip } from '../../common/clip.ts'
import { invalidField } from '../../intake/refusal.ts'

/**
 * Whether the text means yes. Throws a Refusal when it means neither yes nor no. `field`: the name of the field in the
 * request.
 */
export function isYes(field: string, text: string): boolean {
  const word = text.trim()
  if (/^(?:yes|true|1|on)$/i.test(word)) return true
  if (/^(?:no|false|0|off)$/i.test(word)) return false
  throw invalidField(field, `"${clip(word)}" is neither yes (or true, 1, on) nor no (or false, 0, off)`)
}
