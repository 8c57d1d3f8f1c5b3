/** The sending domain that an alert is about. */
import type { SendingDomain } from '../../accounts/account.ts'
import type { Alert } from '../../store/store.ts'

const KIND = 'domain:'

export function isAboutDomain(id: string): boolean {
  return id.startsWith(KIND)
}

/**
 * Undefined: the alert is about something else, or the company has removed the domain. Another company may have added a
 * domain of the same name since.
 */
export function domainOfAlert<Domain extends Pick<SendingDomain, 'companyId' | 'name'>>(
  { id, companyId }: Pick<Alert, 'id' | 'companyId'>,
  domains: readonly Domain[],
): Domain | undefined {
  if (!isAboutDomain(id)) return undefined
  const subject = id.slice(KIND.length)
  return domains.find((domain) => domain.companyId === companyId && domain.name === subject)
}

/** The company whose domain a check of the doctor is about; null: it is about something else. */
export function companyOfCheck(
  id: string,
  /** The domains that may send: the doctor checks only these, and no name is twice among them. */
  sending: readonly Pick<SendingDomain, 'companyId' | 'name'>[],
): string | null {
  return sending.find(({ name }) => id === `${KIND}${name}`)?.companyId ?? null
}
