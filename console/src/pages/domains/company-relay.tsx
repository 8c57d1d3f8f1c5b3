import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { relayQuery, setCompanyRelay } from '../../api/domains.ts'
import { useIsCapture } from '../../api/session.ts'
import { Section } from '../../parts/section.tsx'
import { useRole } from '../../shell/company.ts'
import { RelayActions, RelaySummary, useDelivery } from './relay-form.tsx'

/** The delivery route of a company. Hidden if there is no relay and the person may not set one. */
export function CompanyRelay({ company }: { company: string }) {
  const operator = useRole() === 'operator'
  const delivery = useDelivery()
  const captures = useIsCapture()
  const { data } = useQuery(relayQuery(company))
  if (data === undefined || (data.relay === null && !operator)) return null
  return (
    <Section
      title="Delivery route"
      mt="xl"
      action={
        operator && (
          <RelayActions
            relay={data.relay}
            whose="this company"
            set={(relay) => setCompanyRelay(company, relay)}
          />
        )
      }
    >
      {data.relay === null ? (
        <Text size="sm">
          {delivery} A company or a domain can have a relay of its own
          {captures ? ', which is not used in capture mode.' : ' instead.'}
        </Text>
      ) : (
        <RelaySummary relay={data.relay} />
      )}
    </Section>
  )
}
