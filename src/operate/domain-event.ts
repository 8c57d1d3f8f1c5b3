/** Events of a sending domain for the log of its company, with the state that webhooks send. */
import type { RecordState, SendingDomain } from '../accounts/account.ts'
import type { DnsRecord } from '../accounts/dns-records.ts'
import { domainChanged, type NewCompanyEvent } from '../email/company-event.ts'

/** `records`: with the state in which a check has just found them, or the last one did. */
export function domainEvent(
  type: Parameters<typeof domainChanged>[0],
  domain: Pick<SendingDomain, 'id' | 'name' | 'createdAt' | 'status' | 'sending' | 'seen'>,
  records: readonly (DnsRecord & { state?: RecordState })[],
  at: number,
  message: string,
): NewCompanyEvent {
  const { createdAt, status, sending, seen } = domain
  const shown = records.map(({ kind, name, type, value, preference, seen, state = seen }) => {
    return { kind, name, type, value, preference, seen: state }
  })
  const domainState = { createdAt, status, sending, dkim: seen.dkim ?? null, records: shown }
  return domainChanged(type, domain, domainState, at, message)
}
