/**
 * Waiting mail by recipient domain, by site and by company, with the last reply of the servers and the actions
 * on it.
 */
import { Anchor, Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  type WaitingSiteItem,
  waitingCompaniesQuery,
  waitingDomainsQuery,
  waitingSitesQuery,
} from '../../api/queue.ts'
import { DueTime } from '../../parts/due-time.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { LastReply } from '../../parts/last-reply.tsx'
import { ListTable, type ListTableProps, type TableColumn } from '../../parts/list-table.tsx'
import { NumberedPages } from '../../parts/numbered-pages.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import { PauseFacts } from '../../shell/pause-fields.tsx'
import { QueueActions, SiteQueueActions } from '../../shell/queue-actions.tsx'

type Waiting = Pick<
  WaitingSiteItem,
  'waiting' | 'oldestAt' | 'nextDueAt' | 'lastMessage' | 'lastServer' | 'category' | 'paused' | 'pause'
>

export function WaitingMail({ company }: { company: string }) {
  return (
    <>
      <WaitingByDestination company={company} />
      {company === ALL && <WaitingBySite />}
      {company === ALL && <WaitingByCompany />}
    </>
  )
}

function WaitingByDestination({ company }: { company: string }) {
  const [page, setPage] = useState(1)
  const { data } = useQuery(waitingDomainsQuery(company, page))
  return (
    <WaitingTable
      title="Waiting mail by recipient domain"
      about="The recipient domains that most mail waits for, with the last reply of their servers"
      what="recipient domains"
      keyOf={({ domain }) => domain}
      {...{ data, page, setPage }}
      head="Domain"
      name={({ domain }) => (
        <Anchor
          component={Link}
          to={`/c/${company}/emails`}
          search={{ q: `to:@${domain} status:waiting` } as never}
          size="sm"
        >
          <HostName>{domain}</HostName>
        </Anchor>
      )}
      actions={({ domain, ...part }) => <QueueActions company={company} domain={domain} part={part} />}
    />
  )
}

/** Waiting mail by site, for operators who view all companies: one fault of a server can hold up many domains. */
function WaitingBySite() {
  const [page, setPage] = useState(1)
  const { data } = useQuery(waitingSitesQuery(page))
  return (
    <WaitingTable
      title="Waiting mail by site"
      about="The groups of mail servers that most mail waits for, each with all its recipient domains"
      what="sites"
      keyOf={({ name }) => name}
      {...{ data, page, setPage }}
      head="Site"
      name={({ name, domains, domainCount }) => (
        <Text size="sm" span title={domains.join(', ')}>
          <UntrustedText>{name}</UntrustedText>
          {domainCount > 1 && (
            <Text size="xs" c="dimmed" span>
              {' '}
              ({domainCount.toLocaleString()} domains)
            </Text>
          )}
        </Text>
      )}
      sessions={{ head: 'Sessions', right: true, cell: ({ sessions }) => sessions.toLocaleString() }}
      // A provider may have the name of a domain, so that mail whose servers are not known goes by its domain.
      actions={({ name, domain, ...part }) =>
        domain === null ? (
          <SiteQueueActions site={name} part={part} />
        ) : (
          <QueueActions company={ALL} domain={domain} part={part} />
        )
      }
    />
  )
}

/** Waiting mail by company, for operators who view all companies. */
function WaitingByCompany() {
  const [page, setPage] = useState(1)
  const { data } = useQuery(waitingCompaniesQuery(page))
  return (
    <WaitingTable
      title="Waiting mail by company"
      about="The companies with the most waiting mail, with the last reply of a server"
      what="companies"
      keyOf={({ company: { id } }) => id}
      {...{ data, page, setPage }}
      head="Company"
      name={({ company: { id, name } }) => (
        <Anchor component={Link} to={`/c/${id}/overview`} size="sm">
          <UntrustedText>{name}</UntrustedText>
        </Anchor>
      )}
      actions={({ company: { id }, ...part }) => <QueueActions company={id} domain={null} part={part} />}
    />
  )
}

/** A page of sums, with a way to all others. */
function WaitingTable<Row extends Waiting>({
  title,
  about,
  what,
  head,
  keyOf,
  name,
  sessions,
  actions,
  data,
  page,
  setPage,
}: Pick<ListTableProps<Row>, 'keyOf'> & {
  title: string
  about: string
  /** The plural of a row, in lower case. */
  what: string
  /** Above the names. */
  head: string
  name: (row: Row) => ReactNode
  sessions?: TableColumn<Row>
  actions: (row: Row) => ReactNode
  data: { sums: readonly Row[]; count: number; size: number } | undefined
  page: number
  setPage: (page: number) => void
}) {
  if (data === undefined || data.count === 0) return null
  const { sums, count, size } = data
  // Mail that has left meanwhile may leave a page without rows.
  const last = Math.ceil(count / size)
  if (page > last) setPage(last)
  return (
    <Section compact title={title} about={about}>
      <ListTable
        rows={sums}
        keyOf={keyOf}
        spacing="xs"
        columns={[
          { head, width: '18%', cell: (row) => <Name part={row}>{name(row)}</Name> },
          WAITING,
          sessions ?? false,
          OLDEST,
          NEXT_ATTEMPT,
          LAST_REPLY,
          { head: 'Actions', headHidden: true, right: true, cell: actions },
        ]}
      />
      <NumberedPages what={what} total={count} size={size} page={page} onPage={setPage} />
    </Section>
  )
}

const WAITING: TableColumn<Waiting> = {
  head: 'Waiting',
  right: true,
  cell: ({ waiting }) => waiting.toLocaleString(),
}

const OLDEST: TableColumn<Waiting> = {
  head: 'Oldest',
  cell: ({ oldestAt }) => oldestAt !== null && <Time at={oldestAt} />,
}

const NEXT_ATTEMPT: TableColumn<Waiting> = {
  head: 'Next attempt',
  cell: ({ nextDueAt, paused }) => !paused && nextDueAt !== null && <DueTime at={nextDueAt} />,
}

const LAST_REPLY: TableColumn<Waiting> = {
  head: 'Last reply',
  width: '40%',
  cell: ({ lastMessage, lastServer, category }) =>
    lastMessage !== null && <LastReply message={lastMessage} category={category} server={lastServer} />,
}

/** Mail that is paused says until when, and why. */
function Name({ part, children }: { part: Pick<Waiting, 'paused' | 'pause'>; children: ReactNode }) {
  return (
    <>
      <Group gap={6}>
        {children}
        {part.paused && (
          <Badge size="sm" color="orange" variant="light">
            Paused
          </Badge>
        )}
      </Group>
      {part.pause !== null && (
        <Text size="xs" c="dimmed">
          <PauseFacts pause={part.pause} />
        </Text>
      )}
    </>
  )
}
