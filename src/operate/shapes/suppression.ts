import { type AllowEntry, type Suppression, scopeOf } from '../../email/suppression.ts'
import { isoTime } from './time.ts'

/** `domain`: the name of the domain on whose list it is. */
export function suppressionJson(suppression: Suppression, domain: string | null) {
  const { id, companyId, address, type, tags, reason, code, createdAt, emailId, domainId } = suppression
  return {
    id,
    company_id: companyId,
    address,
    type,
    tags,
    reason,
    code,
    created_at: isoTime(createdAt),
    email_id: emailId,
    domain_id: domainId,
    domain,
    scope: scopeOf(suppression) === null ? ('company' as const) : ('domain' as const),
  }
}

/** `domain`: the name of the domain on whose list it is. */
export function allowEntryJson(
  { companyId, domainId, value, kind, reason, createdAt }: AllowEntry,
  domain: string | null,
) {
  return {
    company_id: companyId,
    value,
    kind,
    reason,
    created_at: isoTime(createdAt),
    domain_id: domainId,
    domain,
  }
}
