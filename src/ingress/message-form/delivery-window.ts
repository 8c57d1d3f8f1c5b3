/** `o:deliver-within`: how long a message is tried, such as `1h30m`. */
import { clip } from '../../common/clip.ts'
import { invalidField } from '../../intake/refusal.ts'

const WINDOW = /^(?:(\d{1,2})d)?(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?$/i
const SECONDS = [86_400, 3_600, 60, 1]
const LEAST = 60
const MAX = 30 * 86_400

/** Returns milliseconds. Throws a Refusal for anything else. `field`: the client's name of the field. */
export function readDeliveryWindow(field: string, text: string): number {
  const word = text.trim()
  const seconds = WINDOW.exec(word)
    ?.slice(1)
    .reduce((sum, count, unit) => sum + Number(count ?? 0) * SECONDS[unit]!, 0)
  if (seconds !== undefined && seconds >= LEAST && seconds <= MAX) return seconds * 1_000
  throw invalidField(field, `"${clip(word)}" is not a time such as 45m or 1h30m, from one minute to 30 days`)
}
