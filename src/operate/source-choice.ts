/** The sources that mail may leave from, by the settings and the pools. */
import { SourceChoice } from '../delivery/path/source-choice.ts'
import type { Operation } from './verb.ts'

export function sourceChoice({
  accounts,
  hostname,
  setup,
}: Pick<Operation, 'accounts' | 'hostname' | 'setup'>): SourceChoice {
  return new SourceChoice({
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
