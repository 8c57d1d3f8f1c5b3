/**
 * Waiting mail by recipient domain, by site and by company, with the last reply of the servers and the actions
 * on it.
 */
import { Anchor, Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isLeftAlone } from '../../../../src/email/not-attempted.ts'
import { backlogQuery } from '../../api/overview.ts'
import { type WaitingSiteItem, waitingSitesQuery } from '../../api/sites.ts'
import { HostName } from '../../parts/host-name.tsx'
import { LastReply } from '../../parts/last-reply.tsx'
import { ListTable, type TableColumn } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL } from '../../shell/company.ts'
import { PauseFacts } from '../../shell/pause-fields.tsx'
import { QueueActions, SiteQueueActions } from '../../shell/queue-actions.tsx'

type WaitingCounts = Pick<WaitingSiteItem, 'waiting' | 'nextDueAt' | 'paused' | 'pause'>
type WithReply = Pick<WaitingSiteItem, 'lastMessage' | 'category'>

export function WaitingByDestination({ company }: { company: string }) {
  const { data } = useQuery(backlogQuery(company))
  if (data === undefined || data.destinations.length === 0) return null
  return (
    <Section
      compact
      title="Waiting mail by recipient domain"
      about="The recipient domains with the most waiting mail, and the last reply of their servers"
    >
      <ListTable
        rows={data.destinations}
        keyOf={({ domain }) => domain}
        spacing="xs"
        columns={[
          {
            head: 'Domain',
            cell: ({ domain, lastMessage, ...part }) => (
              <Name part={part}>
                <Anchor
                  component={Link}
                  to={`/c/${company}/emails`}
                  // Mail without a reply has not been tried yet, and no filter finds it alone.
                  search={
                    {
                      q:
                        lastMessage === null || isLeftAlone(lastMessage)
                          ? `to:@${domain}`
                          : `to:@${domain} event:delayed`,
                    } as never
                  }
                  size="sm"
                >
                  <HostName>{domain}</HostName>
                </Anchor>
              </Name>
            ),
          },
          WAITING,
          NEXT_ATTEMPT,
          LAST_REPLY,
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: ({ domain, ...part }) => <QueueActions company={company} domain={domain} part={part} />,
          },
        ]}
      />
    </Section>
  )
}

/** Waiting mail by site, for operators who view all companies: one fault of a server can hold up many domains. */
export function WaitingBySite() {
  const { data } = useQuery(waitingSitesQuery)
  if (data === undefined || data.sites.length === 0) return null
  const more = data.count - data.sites.length
  return (
    <Section
      compact
      title="Waiting mail by site"
      about={`The mail servers with the most waiting mail, of all their recipient domains${
        more > 0 ? `; ${more.toLocaleString()} more have less` : ''
      }`}
    >
      <ListTable
        rows={data.sites}
        keyOf={({ name }) => name}
        spacing="xs"
        columns={[
          {
            head: 'Site',
            cell: ({ name, domains, domainCount, ...part }) => (
              <Name part={part}>
                <Text size="sm" span title={domains.join(', ')}>
                  <UntrustedText>{name}</UntrustedText>
                  {domainCount > 1 && (
                    <Text size="xs" c="dimmed" span>
                      {' '}
                      ({domainCount.toLocaleString()} domains)
                    </Text>
                  )}
                </Text>
              </Name>
            ),
          },
          WAITING,
          { head: 'Sessions', right: true, cell: ({ sessions }) => sessions.toLocaleString() },
          { head: 'Oldest', cell: ({ oldestAt }) => oldestAt !== null && <Time at={oldestAt} /> },
          NEXT_ATTEMPT,
          LAST_REPLY,
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            // A provider may have the name of a domain, so that mail whose servers are not known goes by its domain.
            cell: ({ name, domain, ...part }) =>
              domain === null ? (
                <SiteQueueActions site={name} part={part} />
              ) : (
                <QueueActions company={ALL} domain={domain} part={part} />
              ),
          },
        ]}
      />
    </Section>
  )
}

/** Waiting mail by company, for operators who view all companies. */
export function WaitingByCompany() {
  const { data } = useQuery(backlogQuery(ALL))
  if (data === undefined || data.companies.length === 0) return null
  return (
    <Section compact title="Waiting mail by company" about="The companies with the most waiting mail">
      <ListTable
        rows={data.companies}
        keyOf={({ company: { id } }) => id}
        spacing="xs"
        columns={[
          {
            head: 'Company',
            cell: ({ company: { id, name }, ...part }) => (
              <Name part={part}>
                <Anchor component={Link} to={`/c/${id}/overview`} size="sm">
                  <UntrustedText>{name}</UntrustedText>
                </Anchor>
              </Name>
            ),
          },
          WAITING,
          NEXT_ATTEMPT,
          {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: ({ company: { id }, ...part }) => <QueueActions company={id} domain={null} part={part} />,
          },
        ]}
      />
    </Section>
  )
}

const WAITING: TableColumn<WaitingCounts> = {
  head: 'Waiting',
  right: true,
  cell: ({ waiting }) => waiting.toLocaleString(),
}

const NEXT_ATTEMPT: TableColumn<WaitingCounts> = {
  head: 'Next attempt',
  cell: ({ nextDueAt, paused }) => !paused && nextDueAt !== null && <Time at={nextDueAt} />,
}

const LAST_REPLY: TableColumn<WithReply> = {
  head: 'Last reply',
  width: '40%',
  cell: ({ lastMessage, category }) =>
    lastMessage !== null && <LastReply message={lastMessage} category={category} />,
}

/** Mail that is paused says until when, and why. */
function Name({ part, children }: { part: Pick<WaitingCounts, 'paused' | 'pause'>; children: ReactNode }) {
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
