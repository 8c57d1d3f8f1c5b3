import {
  ActionIcon,
  Anchor,
  Badge,
  Group,
  Loader,
  Paper,
  Text,
  ThemeIcon,
  Title,
  Tooltip,
} from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Circle, CircleHelp, type LucideIcon, Minus, RotateCw, X } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { type StepName, type StepShown, stepQuery } from '../../api/start.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import classes from './go-live.module.css'

interface Step {
  name: StepName
  title: string
  /** Why it matters. */
  why: string
  /** Where it is done, within the company. */
  at?: { page: string; label: string }
}

const OF_COMPANY: readonly Step[] = [
  { name: 'message', title: 'Test message', why: 'It shows that mail is accepted.' },
  {
    name: 'domain',
    title: 'Your domain',
    why: 'Receivers judge mail by the domain that it is from.',
    at: { page: 'domains', label: 'Domains' },
  },
  {
    name: 'dns',
    title: 'DNS records',
    why: 'They show that the domain is yours, and let receivers check its signatures.',
    at: { page: 'domains', label: 'Records to publish' },
  },
]
const OF_INSTALLATION: readonly Step[] = [
  {
    name: 'route',
    title: 'Delivery route',
    why: 'Mail leaves this machine: to the servers of recipients, or through a relay.',
  },
  {
    name: 'outgoing',
    title: 'Port 25, or the relay',
    why: 'Many networks block outgoing SMTP.',
  },
  {
    name: 'hostname',
    title: 'Reverse DNS (PTR)',
    why: 'Many receivers refuse a machine whose address has no name, or another one.',
  },
  { name: 'https', title: 'HTTPS', why: 'Keys and mail of applications travel encrypted.' },
  {
    name: 'backup',
    title: 'Backup',
    why: 'The disk of one machine is not enough to keep what was accepted.',
  },
]

const LOOKS: Readonly<Record<StepShown['state'], { icon: LucideIcon; color: string; word: string }>> = {
  done: { icon: Check, color: 'road', word: 'Done' },
  open: { icon: Circle, color: 'gray', word: 'To do' },
  wrong: { icon: X, color: 'red', word: 'Failed' },
  unknown: { icon: CircleHelp, color: 'orange', word: 'Not known' },
  unneeded: { icon: Minus, color: 'gray', word: 'Not needed' },
}

/** `company`: null where there is none yet. */
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
            Each step is looked at for real, from this machine.
          </Text>
        </div>
        <Badge variant="light" color={left === 0 && !looking ? 'road' : 'gray'} size="lg" role="status">
          {looking ? 'Looking ...' : left === 0 ? 'Everything is right' : `${left} left`}
        </Badge>
      </Group>
      <Paper withBorder component="ol" className={classes.steps}>
        {steps.map(({ step, of }, index) => {
          const { data, error, isFetching, refetch } = results[index]!
          return (
            <StepRow
              key={step.name}
              step={step}
              company={of}
              result={data}
              error={error}
              looking={isFetching}
              again={() => void refetch()}
            />
          )
        })}
      </Paper>
    </section>
  )
}

function StepRow({
  step,
  company,
  result,
  error,
  looking,
  again,
}: {
  step: Step
  company: string | null
  result: StepShown | undefined
  error: Error | null
  looking: boolean
  again: () => void
}) {
  const { icon: Icon, color, word } = LOOKS[result?.state ?? 'unknown']
  const { title, why, at } = step
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
      <Tooltip label="Look again">
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={again}
          aria-label={`Look again: ${title}`}
          disabled={looking}
        >
          <RotateCw size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}
