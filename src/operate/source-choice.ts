/** The sources that mail may leave from, by the settings and the pools. */
import { SourceChoice, type SourceChoiceParts } from '../delivery/path/source-choice.ts'
import type { Operation } from './verb.ts'

type OperationParts = Pick<Operation, 'accounts' | 'hostname' | 'setup'>

/** `service`: what is known of the addresses in service. Absent: those of the settings, in service or not. */
export function sourceChoice(
  { accounts, hostname, setup }: OperationParts,
  service: Pick<SourceChoiceParts, 'isHere' | 'whyNone'> = {},
): SourceChoice {
  return new SourceChoice({
    ...service,
    addresses: setup.sourceAddresses,
    hostname,
    pools: () => accounts.pools,
    poolOf({ domainId, companyId }) {
      const domain = accounts.domains.find(({ id }) => id === domainId)
      const company = accounts.companies.find(({ id }) => id === companyId)
      return domain?.settings.pool ?? company?.pool ?? null
    },
  })
}
