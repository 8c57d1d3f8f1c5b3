/** The keys of the details under which reports are summed up in the store. */
import { hash } from 'node:crypto'

/** Equal for equal details, whose fields stand in one order. */
export function detailKey(detail: string): string {
  return hash('sha256', detail, 'base64url').slice(0, 22)
}
