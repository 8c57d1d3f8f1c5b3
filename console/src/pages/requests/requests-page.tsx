/** The requests of clients and the answers that they got, refused ones above all. */
import { Anchor, Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { type RequestEntry, requestQuery, requestsQuery } from '../../api/requests.ts'
import { useMe } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NoMatches } from '../../parts/no-matches.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { CursorLinks } from '../../parts/page-links.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { RequestDialog } from './request-dialog.tsx'
import { RequestFilters } from './request-filters.tsx'
import { UnknownKeys } from './unknown-keys.tsx'

const HERE = '/signed-in/c/$company/requests'

export function RequestsPage() {
  const company = useCompany()
  const { operator } = useMe().person
  const { open, ...search } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/requests' })
  const query = useQuery(requestsQuery(company, search))
  const show = (id: string | undefined) =>
    void navigate({ search: { ...search, open: id }, resetScroll: false })
  const { after: _after, before: _before, ...wanted } = search
  const isNarrowed = Object.values(wanted).some((value) => value !== undefined)
  const clear = () => void navigate({ search: {}, replace: true })
  const { data } = query
  const listed = data?.data.find(({ id }) => id === open)
  // A link may lead to a request of another page of the list.
  const single = useQuery({
    ...requestQuery(company, open ?? ''),
    enabled: open !== undefined && !query.isPending && listed === undefined,
  })
  return (
    <>
      <PageHead
        title="API requests"
        about="The requests of clients over HTTP and SMTP, and the answers to them."
      />
      <RequestFilters
        company={company}
        wanted={wanted}
        change={(part) => void navigate({ search: { ...wanted, ...part }, replace: true })}
        clear={isNarrowed ? clear : null}
      />
      {operator && company !== ALL && <UnknownKeys />}
      <ListTable
        query={query}
        rows={data?.data}
        keyOf={({ id }) => id}
        label="API requests"
        spacing="xs"
        columns={[
          {
            head: 'Request',
            cell: (request) => (
              <Anchor component="button" size="sm" ta="start" onClick={() => show(request.id)}>
                {request.method} <UntrustedText>{request.endpoint}</UntrustedText>
              </Anchor>
            ),
          },
          { head: 'Answer', cell: (request) => <Outcome of={request} /> },
          company === ALL && {
            head: 'Company',
            cell: ({ company }) => <UntrustedText>{company?.name ?? 'Unknown key'}</UntrustedText>,
          },
          {
            head: 'Key',
            cell: ({ key }) => (
              <Text size="sm">
                <UntrustedText>{key?.name ?? 'Unknown'}</UntrustedText>
              </Text>
            ),
          },
          { head: 'Client', cell: ({ address }) => <Text size="sm">{address}</Text> },
          {
            head: 'Took',
            right: true,
            cell: ({ duration }) => <Text size="sm">{duration === null ? '' : `${duration} ms`}</Text>,
          },
          { head: 'Time', right: true, cell: ({ at }) => <Time at={at} /> },
        ]}
        empty={
          isNarrowed ? (
            <NoMatches icon={ArrowLeftRight} what="requests" clear={clear} />
          ) : (
            <Empty icon={ArrowLeftRight} title="No requests yet" action={<NextStep />}>
              When an application sends with a key, its requests appear here within seconds, with the reason
              for each refusal.
            </Empty>
          )
        }
      />
      <CursorLinks page={data} wanted={wanted} />
      {single.error !== null && <ErrorAlert error={single.error} />}
      <RequestDialog
        company={company}
        request={listed ?? single.data ?? null}
        close={() => show(undefined)}
      />
    </>
  )
}

function Outcome({ of: { status, refused, error } }: { of: RequestEntry }) {
  return (
    <Text size="sm" component="div">
      <Badge variant="light" color={refused ? 'red' : 'road'} mr={6}>
        {status}
      </Badge>
      <UntrustedText>{error ?? ''}</UntrustedText>
    </Text>
  )
}
