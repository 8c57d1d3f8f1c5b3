import { Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type SiteItem, sitesQuery } from '../../api/sites.ts'
import { DueTime } from '../../parts/due-time.tsx'
import { HostName } from '../../parts/host-name.tsx'
import { LastReply } from '../../parts/last-reply.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { PauseFacts } from '../../shell/pause-fields.tsx'
import { SiteQueueActions } from '../../shell/queue-actions.tsx'

/** The sites that mail goes to, with their limits and present use. */
export function Sites() {
  const query = useQuery(sitesQuery)
  const [isComplete, setComplete] = useState(false)
  const sites = query.data?.sites
  const shown = sites?.filter((site) => isComplete || isActive(site))
  return (
    <Section
      compact
      title="Sites"
      about="A site is a group of mail servers that share limits: a provider with all the domains it serves, or the servers of one domain. The numbers cover all nodes. Those of a node begin at its start."
    >
      <Switch
        size="xs"
        label="Show all known providers"
        checked={isComplete}
        onChange={({ currentTarget }) => setComplete(currentTarget.checked)}
      />
      {shown === undefined ? (
        <Pending of={query} height={160} />
      ) : (
        <PagedList
          what="sites"
          find="Name of a site or mail server"
          textOf={({ name, hosts }) => [name, ...hosts].join(' ')}
          rows={shown}
          empty={
            <Text size="sm" c="dimmed">
              No mail was sent in the last 24 hours.
            </Text>
          }
          keyOf={({ name, hosts }) => [name, ...hosts].join(' ')}
          columns={[
            { head: 'Site', rowHead: true, cell: (site) => <SiteName {...site} /> },
            { head: 'State', width: '30%', cell: (site) => <State {...site} /> },
            {
              head: 'Sessions',
              right: true,
              cell: ({ used, limits, lowered }) => ofLimit(used.sessions, limits.sessions, lowered.sessions),
            },
            {
              head: 'Messages/min',
              right: true,
              cell: ({ used, limits, lowered }) =>
                ofLimit(used.messagesLastMinute, limits.messagesPerMinute, lowered.messagesPerMinute),
            },
            {
              head: 'Messages/hour',
              right: true,
              cell: ({ used, limits }) => ofLimit(used.messagesLastHour, limits.messagesPerHour, null),
            },
            {
              head: 'Actions',
              headHidden: true,
              right: true,
              below: true,
              cell: (site) => <SiteQueueActions site={site.name} part={partOf(site)} />,
            },
          ]}
        />
      )}
    </Section>
  )
}

function partOf({ pause }: SiteItem) {
  const isPaused = pause !== null
  // The list of sites does not say whether mail waits for them.
  return { waiting: null, paused: isPaused, pausedAlone: isPaused, retriable: !isPaused }
}

function isActive({ closed, used, pause, lastMessageAt }: SiteItem): boolean {
  return closed !== null || pause !== null || lastMessageAt !== null || used.sessions > 0
}

function SiteName({ name, provider, limits, source, warmUps }: SiteItem) {
  const { messagesPerSession, recipientsPerTransaction, tls, envelopeBehindDot, size, backOff } = limits
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600}>
        <HostName>{name}</HostName>
      </Text>
      <Text size="xs" c="dimmed" title={source ?? undefined}>
        {provider === null ? 'Default limits' : `Limits of ${provider}`}: {messagesPerSession} messages per
        session, {recipientsPerTransaction} recipients per message, TLS {tls}
        {envelopeBehindDot && ', the next envelope sent early'}
        {size !== null && `, ${size.toLocaleString()} octets per message`}
        {backOff !== null && `, first pause ${backOff / 1_000} s`}
      </Text>
      <WarmUps of={warmUps} />
    </Stack>
  )
}

/** The most addresses that are shown, those closest to their limits first. */
const MAX_WARM_UPS = 5

function WarmUps({ of }: { of: SiteItem['warmUps'] }) {
  const fullest = of.toSorted((a, b) => b.messages / b.limit - a.messages / a.limit)
  const more = of.length - MAX_WARM_UPS
  return (
    <>
      {fullest.slice(0, MAX_WARM_UPS).map(({ source, day, messages, limit }) => (
        <Text key={source} size="xs" c="dimmed">
          {source}, day {day} of its warm-up: {ofLimit(messages, limit, null)} messages today
        </Text>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {more} more addresses are warming up
        </Text>
      )}
    </>
  )
}

function State({ closed, pause, lastMessageAt, lastTrouble }: SiteItem) {
  return (
    <Stack gap={2}>
      {closed === null && pause === null && (
        <Text size="sm" c="dimmed">
          open
        </Text>
      )}
      {pause !== null && (
        <Group gap={4}>
          <Text size="sm" fw={600} c="orange">
            Paused
          </Text>
          <Text size="xs" c="dimmed">
            <PauseFacts pause={pause} />
          </Text>
        </Group>
      )}
      {closed !== null && <Closure of={closed} />}
      {lastMessageAt !== null && (
        <Text size="xs" c="dimmed">
          Last try <Time at={lastMessageAt} />
        </Text>
      )}
      {lastTrouble !== null && closed === null && (
        <>
          <Text size="xs" c="dimmed">
            Last problem <Time at={lastTrouble.at} />:
          </Text>
          <LastReply message={lastTrouble.reason} category={lastTrouble.category} />
        </>
      )}
    </Stack>
  )
}

function Closure({ of }: { of: NonNullable<SiteItem['closed']> }) {
  const { since, reason, category, nextTryAt, company, sendingDomain, recipientDomain, servers, list } = of
  const whose = sendingDomain ?? company
  const to = recipientDomain ?? servers
  return (
    <Stack gap={2}>
      <Group gap={4}>
        <Text size="sm" fw={600} c="red">
          Closed{whose !== null && ` for mail of ${whose}`}
          {to !== null && ` to ${to}`}
        </Text>
        <Text size="xs" c="dimmed">
          since <Time at={since} />, next try <DueTime at={nextTryAt} />
        </Text>
      </Group>
      <LastReply message={reason} category={category} />
      {list !== null && (
        <Text size="xs">
          On the block list of {list.name}. Request removal: {list.removal}
        </Text>
      )}
    </Stack>
  )
}

function ofLimit(used: number, limit: number | null, lowered: number | null): string {
  const most = lowered ?? limit
  return most === null ? used.toLocaleString() : `${used.toLocaleString()} of ${most.toLocaleString()}`
}
