/** The installation as a whole: nodes, storage, pauses, sites and companies. */
import { SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { installationQuery } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { later } from '../../parts/later.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { useDelivery } from '../domains/relay-form.tsx'
import { Checks } from './checks.tsx'
import { Companies } from './companies.tsx'
import { Nodes, Storage } from './nodes-and-storage.tsx'
import { Pauses } from './pauses.tsx'
import { Sites } from './sites.tsx'

const TlsReports = later(() => import('./tls-reports.tsx'), 'TlsReports')

export function InstallationPage() {
  const { installation } = useMe()
  const { data, error, refetch } = useQuery(installationQuery)
  return (
    <>
      <PageHead title="Installation" about={`Postroad ${installation.version}. ${useDelivery()}`} />
      {error && <ErrorAlert error={error} reset={() => void refetch()} />}
      <Stack gap="md">
        <Checks />
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Nodes nodes={data?.nodes} />
          <Storage storage={data?.storage} />
        </SimpleGrid>
        <Pauses pauses={data?.pauses} />
        <Sites />
        <Suspense>
          <TlsReports />
        </Suspense>
        <Companies />
      </Stack>
    </>
  )
}
