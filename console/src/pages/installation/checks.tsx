/** The checks of the doctor: those with a finding first, and the others folded. */
import { Anchor, Badge, Button, Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, CircleHelp, type LucideIcon, RotateCw, TriangleAlert, X } from 'lucide-react'
import { checksQuery, type InstallationCheck } from '../../api/doctor.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PassedChecks } from '../../parts/passed-checks.tsx'
import { Section } from '../../parts/section.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import classes from './checks.module.css'

type State = InstallationCheck['state']

const LOOKS: Readonly<Record<State, { icon: LucideIcon; color: string; word: string }>> = {
  ok: { icon: Check, color: 'road', word: 'OK' },
  unknown: { icon: CircleHelp, color: 'gray', word: 'Unknown' },
  warning: { icon: TriangleAlert, color: 'orange', word: 'To improve' },
  problem: { icon: X, color: 'red', word: 'Problem' },
}
const WORST_FIRST: readonly State[] = ['problem', 'warning', 'unknown', 'ok']

export function Checks() {
  const query = useQuery(checksQuery)
  const { data, error, isFetching, refetch } = query
  const checks = data?.checks.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state))
  const found = checks?.filter(({ state }) => state !== 'ok') ?? []
  const passed = checks?.filter(({ state }) => state === 'ok') ?? []
  return (
    <Section
      compact
      title="Can this machine send mail?"
      about="Postroad asks DNS, block lists and mail servers from this machine. No mail is sent."
      action={
        <Group gap="xs">
          {data && !isFetching && <Verdict state={data.state} />}
          <Button
            size="xs"
            variant="default"
            leftSection={isFetching ? <Loader size={14} /> : <RotateCw size={14} aria-hidden />}
            disabled={isFetching}
            onClick={() => void refetch()}
          >
            {isFetching ? 'Checking...' : 'Check again'}
          </Button>
        </Group>
      }
    >
      {error && <ErrorAlert error={error} reset={() => void refetch()} />}
      {found.length > 0 && <CheckList checks={found} />}
      {passed.length > 0 && (
        <PassedChecks count={passed.length}>
          <CheckList checks={passed} />
        </PassedChecks>
      )}
    </Section>
  )
}

function Verdict({ state }: { state: State }) {
  const { color, word } = LOOKS[state]
  return (
    <Badge variant="light" color={color} role="status" visibleFrom="sm">
      {state === 'ok' ? 'All checks passed' : word}
    </Badge>
  )
}

function CheckList({ checks }: { checks: readonly InstallationCheck[] }) {
  return (
    <Stack component="ul" gap="sm" className={classes.list}>
      {alikeTogether(checks).map((check) => (
        <CheckRow key={check.id} {...check} />
      ))}
    </Stack>
  )
}

/** Checks with the same finding are one: without a host name, no block list can be asked. */
function alikeTogether(checks: readonly InstallationCheck[]): InstallationCheck[] {
  const byFinding = Map.groupBy(checks, ({ state, found, advice, code }) =>
    JSON.stringify([state, found, advice, code]),
  )
  return [...byFinding.values()].map((alike) => ({
    ...alike[0]!,
    title: titleOf(alike.map(({ title }) => title)),
  }))
}

/** "Block list A", "Block list B" are "Block list A, B". */
function titleOf([first = '', ...others]: string[]): string {
  const isShared = (words: string) => others.every((title) => title.startsWith(words))
  const beginnings = [...first.matchAll(/ /g)].map(({ index }) => first.slice(0, index + 1))
  const shared = beginnings.findLast(isShared) ?? ''
  return [first, ...others.map((title) => title.slice(shared.length))].join(', ')
}

function CheckRow({ title, state, found, advice, page, code }: InstallationCheck) {
  const { icon: Icon, color, word } = LOOKS[state]
  return (
    <li className={classes.check}>
      <ThemeIcon radius="xl" size={24} variant="light" color={color}>
        <Icon size={14} aria-hidden />
      </ThemeIcon>
      <div className={classes.told}>
        <Text size="sm" fw={600}>
          {visible(title)}{' '}
          <Text component="span" size="sm" c="dimmed" fw={400}>
            {word}
          </Text>
        </Text>
        <Text size="sm">{visible(found)}</Text>
        {advice !== null && (
          <Text size="sm" c="dimmed">
            {visible(advice)}
          </Text>
        )}
        {advice !== null && page !== null && (
          <Anchor component={Link} to={`/${page}`} size="sm">
            Page of {visible(title)}
          </Anchor>
        )}
        {code !== null && (
          <div className={classes.code}>
            <CodeBlock code={code} what={`the lines for ${title}`} />
          </div>
        )}
      </div>
    </li>
  )
}
