import { Anchor, Badge, Group, Loader, Paper, Text, ThemeIcon, Title } from '@mantine/core'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Circle, CircleHelp, type LucideIcon, Minus, RotateCw, X } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { type SetupStep, type StepName, stepQuery } from '../../api/start.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import classes from './go-live.module.css'

interface GoLiveStep {
  name: StepName
  title: string
  /** Why the step matters. */
  why: string
  /** The company's page on which the step is done. */
  at?: { page: string; label: string }
}

const OF_COMPANY: readonly GoLiveStep[] = [
  { name: 'message', title: 'Test message', why: 'It shows that Postroad accepts your mail.' },
  {
    name: 'domain',
    title: 'Your domain',
    why: 'Recipients’ servers judge mail by its sending domain.',
    at: { page: 'domains', label: 'Domains' },
  },
  {
    name: 'dns',
    title: 'DNS records',
    why: 'They prove that the domain is yours, and let recipients’ servers verify its signatures.',
    at: { page: 'domains', label: 'Records to publish' },
  },
]
const OF_INSTALLATION: readonly GoLiveStep[] = [
  {
    name: 'route',
    title: 'Delivery route',
    why: 'Mail leaves this machine directly to recipients’ servers, or through a relay.',
  },
  {
    name: 'outgoing',
    title: 'Port 25, or the relay',
    why: 'Many networks block outgoing SMTP.',
  },
  {
    name: 'hostname',
    title: 'Reverse DNS (PTR)',
    why: 'Many servers refuse mail from an IP address whose name is missing or does not match.',
  },
  { name: 'https', title: 'HTTPS', why: 'It encrypts the API keys and the mail that applications send.' },
  {
    name: 'backup',
    title: 'Backup',
    why: 'Accepted mail must survive the loss of a disk.',
  },
]

const LOOKS: Readonly<Record<SetupStep['state'], { icon: LucideIcon; color: string; word: string }>> = {
  done: { icon: Check, color: 'road', word: 'Done' },
  open: { icon: Circle, color: 'gray', word: 'To do' },
  wrong: { icon: X, color: 'red', word: 'Failed' },
  unknown: { icon: CircleHelp, color: 'orange', word: 'Unknown' },
  unneeded: { icon: Minus, color: 'gray', word: 'Not needed' },
}

/** `company`: `null` if there is no company yet. */
export function GoLive({ company }: { company: string | null }) {
  const { person } = useMe()
  const steps = [
    ...(company === null ? [] : OF_COMPANY.map((step) => ({ step, of: company as string | null }))),
    ...(person.operator ? OF_INSTALLATION.map((step) => ({ step, of: null })) : []),
  ]
  const results = useQueries({ queries: steps.map(({ step, of }) => stepQuery(of, step.name)) })
  const left = results.filter(({ data }) => data && data.state !== 'done' && data.state !== 'unneeded').length
  const looking = results.some(({ isPending }) => isPending)
  return (
    <section aria-labelledby="go-live">
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2} size="h4" id="go-live">
            Go live
          </Title>
          <Text size="sm" c="dimmed">
            Postroad checks each step from this machine.
          </Text>
        </div>
        <Badge variant="light" color={left === 0 && !looking ? 'road' : 'gray'} size="lg" role="status">
          {looking ? 'Checking...' : left === 0 ? 'All steps done' : `${left} left`}
        </Badge>
      </Group>
      <Paper withBorder component="ol" className={classes.steps}>
        {steps.map(({ step, of }, index) => (
          <StepRow key={step.name} step={step} company={of} query={results[index]!} />
        ))}
      </Paper>
    </section>
  )
}

function StepRow({
  step: { title, why, at },
  company,
  query: { data: result, error, isFetching: looking, refetch },
}: {
  step: GoLiveStep
  company: string | null
  query: UseQueryResult<SetupStep>
}) {
  const { icon: Icon, color, word } = LOOKS[result?.state ?? 'unknown']
  return (
    <li className={classes.step}>
      <ThemeIcon radius="xl" size={28} variant="light" color={result ? color : 'gray'}>
        {looking ? <Loader size={14} /> : <Icon size={16} aria-hidden />}
      </ThemeIcon>
      <div className={classes.told}>
        <Text fw={600}>
          {title}{' '}
          {result && (
            <Text component="span" size="sm" c="dimmed" fw={400}>
              {word}
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {why}
        </Text>
        {error && <ErrorAlert error={error} />}
        {result && (
          <Text size="sm" mt={4}>
            {result.found}
          </Text>
        )}
        {result?.advice && (
          <Text size="sm" fw={500}>
            {result.advice}
          </Text>
        )}
        {at && company !== null && result?.state !== 'done' && (
          <Anchor component={Link} to={`/c/${company}/${at.page}`} size="sm">
            {at.label}
          </Anchor>
        )}
      </div>
      <IconButton
        icon={RotateCw}
        label="Check again"
        name={`Check again: ${title}`}
        disabled={looking}
        onClick={() => void refetch()}
      />
    </li>
  )
}
