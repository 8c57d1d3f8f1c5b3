/** A closed part of a path, as people see it. */
import { serversText } from '../delivery/path/path.ts'
import type { ClosedPath, SiteClosure } from '../store/store.ts'

/** Names for people, by id. */
export interface ClosureNames {
  companyName(id: string): string
  domainName(id: string): string
}

/** `key`: that of the closed part. */
export function siteClosure(
  key: string,
  closed: Omit<ClosedPath, 'path' | 'category'>,
  { companyName, domainName }: ClosureNames,
): SiteClosure {
  const { since, kind, message, brief, probeAt, list, metBy, companyId, domainId, to } = closed
  const servers = serversText(key.split('\0')[3] ?? '')
  return {
    since,
    kind,
    reason: message,
    brief,
    nextTryAt: probeAt,
    list,
    metBy,
    companyId,
    company: companyId === null ? null : companyName(companyId),
    sendingDomain: domainId === null ? null : domainName(domainId),
    recipientDomain: to,
    ...(servers !== null && { servers }),
  }
}
