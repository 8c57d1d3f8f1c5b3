import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { relayQuery, setCompanyRelay } from '../../api/domains.ts'
import { useRole } from '../../shell/company.ts'
import { RelayActions, RelayShown, useDelivery } from './relay-form.tsx'

/** Which way the mail of a company leaves. Shown where there is something to see or to change. */
export function CompanyRelay({ company }: { company: string }) {
  const operator = useRole() === 'operator'
  const delivery = useDelivery()
  const { data } = useQuery(relayQuery(company))
  if (data === undefined || (data.relay === null && !operator)) return null
  return (
    <Stack component="section" gap="xs" mt="xl" aria-labelledby="company-relay">
      <Title order={2} size="h4" id="company-relay">
        Delivery route
      </Title>
      {data.relay === null ? (
        <Text size="sm">
          {delivery} A company may have a relay of its own instead, and a domain another one.
        </Text>
      ) : (
        <RelayShown relay={data.relay} />
      )}
      {operator && (
        <RelayActions
          relay={data.relay}
          whose="this company"
          set={(relay) => setCompanyRelay(company, relay)}
        />
      )}
    </Stack>
  )
}
