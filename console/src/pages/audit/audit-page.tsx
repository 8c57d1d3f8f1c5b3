/** The audit list: changes of settings, and sign-ins. It updates by itself. */
import { Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  ArrowUp,
  CircleQuestionMark,
  Download,
  KeyRound,
  ScrollText,
  Server,
  SquareTerminal,
  UserRound,
} from 'lucide-react'
import { type AuditEntry, type AuditSearch, auditQuery, exportAddress, newerQuery } from '../../api/audit.ts'
import { Empty } from '../../parts/empty.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NoMatches } from '../../parts/no-matches.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { AuditFilters } from './filters.tsx'
import { phraseOf } from './sentence.ts'

const ACTORS = {
  person: { icon: UserRound, word: 'a person' },
  key: { icon: KeyRound, word: 'an API key' },
  'command-line': { icon: SquareTerminal, word: 'the command line' },
  service: { icon: Server, word: 'Postroad itself' },
} as const

export function AuditPage() {
  const company = useCompany()
  const wanted = givenOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const client = useQueryClient()
  const list = useInfiniteQuery(auditQuery(company, wanted))
  const pages = list.data?.pages ?? []
  const entries = pages.flatMap((page) => page.entries)
  const change = (part: Partial<Record<keyof AuditSearch, string | undefined>>) => {
    void navigate({ to: '.', search: givenOf({ ...wanted, ...part }) as never, replace: true })
  }
  const clear = () => void navigate({ to: '.', search: {} as never, replace: true })
  /** Starts again from the first page. */
  const renew = () => client.resetQueries({ queryKey: auditQuery(company, wanted).queryKey })
  const isNarrowed = Object.keys(wanted).length > 0
  return (
    <>
      <PageHead title="Audit" about="Changes of settings, sign-ins, and the people behind them.">
        <Button
          variant="default"
          component="a"
          href={exportAddress(company, wanted)}
          download="audit.csv"
          leftSection={<Download size={16} aria-hidden />}
        >
          Export CSV
        </Button>
      </PageHead>
      <AuditFilters
        wanted={wanted}
        change={change}
        clear={isNarrowed ? clear : null}
        names={namesOf(entries, wanted.by)}
      />
      {pages.length > 1 && (
        <NewEntries company={company} wanted={wanted} after={entries[0]?.number ?? 0} show={renew} />
      )}
      <ListTable
        query={list}
        rows={list.data && entries}
        keyOf={({ number }) => number}
        label="Changes"
        columns={[
          { head: 'By', headHidden: true, width: 44, cell: ({ actor }) => <Actor {...ACTORS[actor.kind]} /> },
          { head: 'Change', headHidden: true, cell: (entry) => <Sentence entry={entry} company={company} /> },
          { head: 'Time', headHidden: true, right: true, cell: ({ at }) => <Time at={at} /> },
        ]}
        empty={
          isNarrowed ? (
            <NoMatches icon={ScrollText} what="entries" clear={clear} />
          ) : (
            <Empty icon={ScrollText} title="No changes yet" action={<NextStep />}>
              Changes made in the console, at the command line or through the API appear here, such as a new
              domain, a new key or an invitation.
            </Empty>
          )
        }
      />
      {list.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show earlier entries
          </Button>
        </Group>
      )}
    </>
  )
}

/** While earlier pages are on screen, new entries are only announced, so that the list does not move. */
function NewEntries({
  company,
  wanted,
  after,
  show,
}: {
  company: string
  wanted: AuditSearch
  after: number
  show: () => void
}) {
  const { data } = useQuery(newerQuery(company, wanted, after))
  const count = data?.entries.length ?? 0
  if (count === 0) return null
  return (
    <Group justify="center" mb="sm" style={{ position: 'sticky', top: 60, zIndex: 1 }}>
      <Button size="xs" radius="xl" leftSection={<ArrowUp size={14} aria-hidden />} onClick={show}>
        {data!.next === null ? count : `More than ${count}`} new {count === 1 ? 'entry' : 'entries'}
      </Button>
    </Group>
  )
}

/** Drops empty filters. */
function givenOf(search: object): AuditSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''))
}

function namesOf(entries: readonly AuditEntry[], by: string | undefined): string[] {
  const names = new Set(entries.map(({ actor }) => actor.name).filter((name) => name !== ''))
  if (by !== undefined) names.add(by)
  return [...names].sort()
}

function Actor({ icon: Icon, word }: (typeof ACTORS)[keyof typeof ACTORS]) {
  return (
    <Tooltip label={`By ${word}`}>
      <Icon size={18} strokeWidth={1.75} aria-label={`By ${word}`} role="img" style={{ display: 'block' }} />
    </Tooltip>
  )
}

function Sentence({ entry, company }: { entry: AuditEntry; company: string }) {
  const { actor, target, done } = entry
  const { before, after, given } = phraseOf(entry)
  return (
    <>
      <Text size="sm" component="div">
        <Text span fw={600}>
          <UntrustedText>{actor.name || ACTORS[actor.kind].word}</UntrustedText>
        </Text>{' '}
        {before}{' '}
        <Text span fw={600}>
          <UntrustedText>{target}</UntrustedText>
        </Text>
        <UntrustedText>{after}</UntrustedText>
        {company === ALL && entry.company !== null && (
          <Text span c="dimmed">
            {' · '}
            <UntrustedText>{entry.company.name}</UntrustedText>
          </Text>
        )}
      </Text>
      {given !== '' && (
        <Text size="xs" c="dimmed">
          <UntrustedText>{given}</UntrustedText>
        </Text>
      )}
      {!done && (
        <Tooltip label="Postroad stopped before the action was finished, or could not reach its database.">
          <Badge
            size="sm"
            variant="light"
            color="yellow"
            leftSection={<CircleQuestionMark size={12} aria-hidden />}
            mt={4}
          >
            Outcome unknown
          </Badge>
        </Tooltip>
      )}
    </>
  )
}
