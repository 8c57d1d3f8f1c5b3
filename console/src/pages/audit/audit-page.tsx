/** Who changed what, and when. What is new comes by itself. */
import { Badge, Button, Group, Paper, Select, Skeleton, Table, Text, Tooltip } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleQuestionMark, KeyRound, ScrollText, Server, SquareTerminal, UserRound } from 'lucide-react'
import { type AuditEntry, auditQuery } from '../../api/audit.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { phraseOf } from './sentence.ts'

const ACTORS = {
  person: { icon: UserRound, word: 'a person' },
  key: { icon: KeyRound, word: 'an API key' },
  'command-line': { icon: SquareTerminal, word: 'the command line' },
  service: { icon: Server, word: 'the service itself' },
} as const

export function AuditPage() {
  const company = useCompany()
  const list = useInfiniteQuery(auditQuery(company))
  const { by } = useSearch({ strict: false }) as { by?: string }
  const navigate = useNavigate()
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? []
  const names = [...new Set(entries.map(({ actor }) => actor.name))].sort()
  if (by !== undefined && !names.includes(by)) names.push(by)
  const shown = by === undefined ? entries : entries.filter(({ actor }) => actor.name === by)
  return (
    <>
      <PageHead title="Audit" about="Every change of settings: who made it, and when.">
        {names.length > 1 && (
          <Select
            aria-label="Changed by"
            data={[
              { value: '', label: 'By everybody' },
              ...names.map((name) => ({ value: name, label: visible(name) })),
            ]}
            value={by ?? ''}
            allowDeselect={false}
            searchable={names.length > 8}
            onChange={(name) =>
              void navigate({ to: '.', search: (name ? { by: name } : {}) as never, replace: true })
            }
          />
        )}
      </PageHead>
      {list.error && <ErrorAlert error={list.error} reset={() => void list.refetch()} />}
      {list.isPending && <Skeleton h={240} />}
      {list.isSuccess && entries.length === 0 && (
        <Empty icon={ScrollText} title="Nothing was changed yet">
          Once somebody adds a domain, makes a key or invites people, it stands here: in the console, at the
          command line or through the API.
        </Empty>
      )}
      {shown.length > 0 && (
        <Paper withBorder>
          <Table verticalSpacing="sm" aria-label="Changes">
            <Table.Tbody>
              {shown.map((entry) => (
                <Entry key={entry.number} entry={entry} company={company === ALL} />
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
      {list.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show earlier changes
          </Button>
        </Group>
      )}
    </>
  )
}

function Entry({ entry, company }: { entry: AuditEntry; company: boolean }) {
  const { actor, target, at, done } = entry
  const { icon: Icon, word } = ACTORS[actor.kind]
  const { before, after, given } = phraseOf(entry)
  return (
    <Table.Tr>
      <Table.Td w={44}>
        <Tooltip label={`By ${word}`}>
          <Icon
            size={18}
            strokeWidth={1.75}
            aria-label={`By ${word}`}
            role="img"
            style={{ display: 'block' }}
          />
        </Tooltip>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm" component="div">
          <Text span fw={600}>
            <UntrustedText>{actor.name || word}</UntrustedText>
          </Text>{' '}
          {before}{' '}
          <Text span fw={600}>
            <UntrustedText>{target}</UntrustedText>
          </Text>
          <UntrustedText>{after}</UntrustedText>
          {company && entry.company !== null && (
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
          <Tooltip label="The service ended meanwhile, or its database could not be reached.">
            <Badge
              size="sm"
              variant="light"
              color="yellow"
              leftSection={<CircleQuestionMark size={12} aria-hidden />}
              mt={4}
            >
              begun; whether it was done is not known
            </Badge>
          </Tooltip>
        )}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        <Text size="sm" span>
          <Time at={at} />
        </Text>
      </Table.Td>
    </Table.Tr>
  )
}
