/** The names of a domain's DNS records, for people. */
import type { DkimStage, RecordKind } from './account.ts'

export const RECORD_NAMES: Readonly<Record<RecordKind, string>> = {
  dkim: 'DKIM',
  spf: 'SPF',
  return_path_mx: 'Return path MX',
  return_path_spf: 'Return path SPF',
  return_path_owner: 'Return path permission',
  dmarc: 'DMARC',
  dmarc_report: 'DMARC report permission',
  tls_report: 'TLS report',
}

/** Whether a DKIM key in this stage of its rotation has signed its last message. */
export function isPreviousKey(stage: DkimStage | null | undefined): boolean {
  return stage === 'retiring' || stage === 'retired'
}
