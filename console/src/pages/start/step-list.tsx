/** A list of steps with the state of each. A step may contain the form with which it is done. */
import { Badge, Group, Loader, Paper, Text, ThemeIcon, Title } from '@mantine/core'
import { Check, Circle, CircleHelp, type LucideIcon, Minus, RotateCw, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import type { SetupStep } from '../../api/start.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import classes from './step-list.module.css'

export interface ListedStep {
  title: string
  /** Why the step matters. */
  why: string
  result: SetupStep | undefined
  query?: { error: Error | null; isFetching: boolean; refetch: () => unknown }
  /** Offers to check the step again. */
  isChecked?: boolean
  /** The form of the step, and further content. */
  content?: ReactNode
  /** The person does this step next. */
  isNext?: boolean
}

const LOOKS: Readonly<Record<SetupStep['state'], { icon: LucideIcon; color: string; word: string }>> = {
  done: { icon: Check, color: 'road', word: 'Done' },
  open: { icon: Circle, color: 'gray', word: 'To do' },
  wrong: { icon: X, color: 'red', word: 'Failed' },
  unknown: { icon: CircleHelp, color: 'orange', word: 'Unknown' },
  unneeded: { icon: Minus, color: 'gray', word: 'Not needed' },
}

export function StepList({
  title,
  about,
  steps,
}: {
  title: string
  about: ReactNode
  steps: readonly ListedStep[]
}) {
  const id = useId()
  const left = steps.filter(({ result }) => result && result.state !== 'done' && result.state !== 'unneeded')
  const checking = steps.some(({ result, query }) => result === undefined && query?.error === null)
  const list = useRef<HTMLOListElement>(null)
  useFocusOnNext(list, steps.find(({ isNext }) => isNext)?.title)
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </div>
        <Badge
          variant="light"
          color={left.length === 0 && !checking ? 'road' : 'gray'}
          size="lg"
          role="status"
        >
          {checking ? 'Checking...' : left.length === 0 ? 'All steps done' : `${left.length} left`}
        </Badge>
      </Group>
      <Paper withBorder component="ol" className={classes.steps} ref={list}>
        {steps.map((step) => (
          <StepRow key={step.title} {...step} />
        ))}
      </Paper>
    </section>
  )
}

/** Moves the focus to the step that is next. */
function goToNextStep(list: ParentNode | null): void {
  const title = list?.querySelector<HTMLElement>('[aria-current=step] [tabindex="-1"]')
  title?.focus()
  title?.scrollIntoView()
}

/**
 * Goes on to the next step when one is done, which announces it to screen readers. A person who is still busy elsewhere
 * on the page is left alone.
 */
function useFocusOnNext(list: RefObject<HTMLOListElement | null>, next: string | undefined): void {
  const before = useRef(next)
  useEffect(() => {
    if (next === undefined || next === before.current) return
    const isFirst = before.current === undefined
    before.current = next
    if (!isFirst && document.activeElement === document.body) goToNextStep(list.current)
  }, [list, next])
}

function StepRow({ title, why, result, query, isChecked = false, content, isNext = false }: ListedStep) {
  const { icon: Icon, color, word } = LOOKS[result?.state ?? 'unknown']
  const isLooking = query?.isFetching === true
  const isDone = result?.state === 'done' || result?.state === 'unneeded'
  return (
    <li className={classes.step} aria-current={isNext ? 'step' : undefined}>
      <ThemeIcon radius="xl" size={28} variant="light" color={isNext ? 'blue' : result ? color : 'gray'}>
        {isLooking ? <Loader size={14} /> : <Icon size={16} aria-hidden />}
      </ThemeIcon>
      <div className={classes.told}>
        <Text fw={600} tabIndex={-1} className={classes.title}>
          {title}{' '}
          {result && (
            <Text component="span" size="sm" c="dimmed" fw={400}>
              {isNext ? 'Next' : word}
            </Text>
          )}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {why}
          </Text>
        )}
        {query?.error && <ErrorAlert error={query.error} reset={() => void query.refetch()} />}
        {result && !isNext && result.state !== 'open' && (
          <Text size="sm" mt={isDone ? 0 : 4}>
            {result.found}
          </Text>
        )}
        {result?.advice && !isNext && (
          <Text size="sm" fw={500}>
            {result.advice}
          </Text>
        )}
        {result?.code && !isNext && (
          <div className={classes.code}>
            <CodeBlock code={result.code} what={`the lines for ${title}`} />
          </div>
        )}
        {content && <div className={classes.content}>{content}</div>}
      </div>
      {query && isChecked && (
        <IconButton
          icon={RotateCw}
          label="Check again"
          name={`Check again: ${title}`}
          disabled={isLooking}
          onClick={() => void query.refetch()}
        />
      )}
    </li>
  )
}
