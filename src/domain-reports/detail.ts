/** The keys of the details under which reports are summed up in the store. */
import { hash } from 'node:crypto'

/** Equal for equal details with their fields in the same order. */
export function detailKey(detail: string): string {
  return hash('sha256', detail, 'base64url').slice(0, 22)
}
