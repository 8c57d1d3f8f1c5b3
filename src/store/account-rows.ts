/** Keys as both databases have them. */
import type { ApiKey } from '../accounts/account.ts'
import { listOf } from './json-columns.ts'

export type KeyRow = Omit<ApiKey, 'scopes' | 'networks'> & { scopes: string; networks: string | null }

export function keyOf(row: KeyRow): ApiKey {
  return { ...row, scopes: listOf(row.scopes), networks: listOf(row.networks) }
}
