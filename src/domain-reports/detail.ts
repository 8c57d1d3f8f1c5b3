/** The details under which reports are summed up in the store, as JSON. */
import { hash } from 'node:crypto'
import type { Disposition } from '../mail/domain-report/dmarc-report.ts'

/** Messages that receivers saw. `source` null: of many sources. */
export interface DmarcDetail {
  source: string | null
  headerFrom: string
  dkim: boolean
  spf: boolean
  disposition: Disposition
  /** The policy that the receiver saw; null: it could not be read. */
  policy: Disposition | null
  dkimDomain: string | null
  spfDomain: string | null
}

/** Equal for equal details, whose fields stand in one order. */
export function detailKey(detail: string): string {
  return hash('sha256', detail, 'base64url').slice(0, 22)
}
