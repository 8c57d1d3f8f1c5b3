/** The history of a recipient in order: events, and the attempts between them with their SMTP dialogues. */

import { Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { namesServer, replyText } from '../../../../src/operate/reply-text.ts'
import { statusOfEvent } from '../../../../src/operate/status-word.ts'
import {
  dialogueQuery,
  type EmailAttempt,
  type EmailDetail,
  type EmailEvent,
  type EmailRecipient,
} from '../../api/email.ts'
import { Category } from '../../parts/category.tsx'
import { Clamped } from '../../parts/clamped.tsx'
import { ClockTime, TIME_ZONE } from '../../parts/clock-time.tsx'
import { useIsDue } from '../../parts/due-time.tsx'
import { durationText } from '../../parts/duration.ts'
import { HostName } from '../../parts/host-name.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Status } from '../../parts/status.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { stepsOf } from './dialogue.ts'
import classes from './email.module.css'
import { isSameServer, sortedByTime } from './time-line-order.ts'

type TimeLineEntry = { at: string; event: EmailEvent } | { at: string; attempt: EmailAttempt; number: number }

export function TimeLine({
  company,
  email,
  position,
}: {
  company: string
  email: EmailDetail
  position: number
}) {
  const events: TimeLineEntry[] = email.events
    .filter(({ recipient }) => recipient === null || recipient === position)
    .map((event) => ({ at: event.at, event }))
  const attempts: TimeLineEntry[] = email.attempts
    .filter(({ recipients }) => recipients.includes(position))
    .map((attempt, index) => ({ at: attempt.startedAt, attempt, number: index + 1 }))
  const entries = sortedByTime([...events, ...attempts])
  const recipient = email.recipients.find((each) => each.position === position)
  return (
    <>
      <Text size="xs" c="dimmed">
        Times in {TIME_ZONE}
      </Text>
      <ol className={classes.line}>
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ids, and none is removed
          <li key={index} className={classes.entry}>
            <Text component="span" size="sm" c="dimmed">
              <ClockTime at={entry.at} precise />
            </Text>
            {'event' in entry ? (
              <Happened event={entry.event} attempted={serverBefore(entries, index)} />
            ) : (
              <Attempt
                company={company}
                email={email.id}
                attempt={entry.attempt}
                number={entry.number}
                result={resultOf(entry.attempt, email.events, position)}
                isNamed={isSameServer(entries, index)}
              />
            )}
          </li>
        ))}
      </ol>
      {recipient?.at != null && NEXT_ATTEMPT.has(recipient.waits) && <NextAttempt at={recipient.at} />}
    </>
  )
}

/** The waits that end with an attempt. */
const NEXT_ATTEMPT: ReadonlySet<EmailRecipient['waits']> = new Set(['retry', 'refusal', 'path'])

/** The time that an event told may have passed, and a later attempt may have moved it. */
function NextAttempt({ at }: { at: string }) {
  return (
    <Text size="sm" c="dimmed">
      {useIsDue(at) ? 'Next attempt was due' : 'Next attempt'} <ClockTime at={at} />
    </Text>
  )
}

/**
 * The code or fault that an attempt ended with for one recipient. Recipients of one transaction can get different replies: these
 * are in their events. An attempt without an event was refused as a whole.
 */
function resultOf(
  { startedAt, duration, result }: EmailAttempt,
  events: readonly EmailEvent[],
  position: number,
) {
  const start = Date.parse(startedAt)
  const own = events.find(({ at, recipient, detail }) => {
    const after = Date.parse(at) - start
    return recipient === position && detail.code !== undefined && after >= 0 && after <= duration + EVENT_MS
  })
  if (own === undefined) return result
  return [own.detail.code, own.detail.enhancedCode].filter(Boolean).join(' ')
}

/** An event follows the end of its attempt within this many milliseconds. */
const EVENT_MS = 1_000

/** The server of the attempt that the entry at this index follows; null: it follows none. */
function serverBefore(entries: readonly TimeLineEntry[], index: number): string | null {
  const before = entries[index - 1]
  return before !== undefined && 'attempt' in before ? before.attempt.server : null
}

/** `attempted`: the server that the line above names. */
function Happened({ event: { type, detail }, attempted }: { event: EmailEvent; attempted: string | null }) {
  const { tls, category } = detail
  const reply = replyText(detail)
  const isNamed = detail.server === attempted || namesServer(reply, detail.server)
  const server = isNamed ? undefined : detail.server
  return (
    <div>
      <Group gap="xs" component="span">
        <Status of={statusOfEvent(type, detail.server)} />
        {category !== undefined && <Category of={category} />}
      </Group>
      {(reply !== '' || server !== undefined || tls !== undefined) && (
        <Text size="sm" component="div" className={classes.said}>
          <Clamped>
            {/* First, because what is long is cut. */}
            <UntrustedText>{reply}</UntrustedText>
            {server !== undefined && (
              <Text span inherit c="dimmed">
                {reply !== '' && ' '}
                <HostName>{server}</HostName>
              </Text>
            )}
            {tls !== undefined && (
              <Text span inherit c="dimmed">
                {' '}
                over <UntrustedText>{tls}</UntrustedText>
              </Text>
            )}
          </Clamped>
        </Text>
      )}
    </div>
  )
}

function Attempt({
  company,
  email,
  attempt,
  number,
  result,
  isNamed,
}: {
  company: string
  email: string
  attempt: EmailAttempt
  number: number
  result: string | null
  /** The attempt before it names the same server. */
  isNamed: boolean
}) {
  const [open, setOpen] = useState(false)
  const body = useId()
  const Chevron = open ? ChevronDown : ChevronRight
  const { id, server, duration, source, tls } = attempt
  return (
    <Stack gap={4} miw={0}>
      <UnstyledButton
        className={classes.attempt}
        onClick={() => setOpen(!open)}
        aria-expanded={open}
        aria-controls={body}
      >
        <Group gap={6} wrap="nowrap" align="flex-start">
          <Chevron size={16} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
          <Text component="span" size="sm" miw={0}>
            Attempt {number}
            {server !== null && !isNamed && (
              <>
                {' at '}
                <HostName>{server}</HostName>
              </>
            )}
            {', '}
            <span className={classes.together}>{durationText(duration)}</span>
            {`: ${result ?? 'no reply'}`}
          </Text>
        </Group>
      </UnstyledButton>
      <div id={body} hidden={!open}>
        {open && <Conversation company={company} email={email} attempt={id} source={source} tls={tls} />}
      </div>
    </Stack>
  )
}

/** The SMTP dialogue of an attempt, loaded when the attempt is opened. */
function Conversation({
  company,
  email,
  attempt,
  source,
  tls,
}: {
  company: string
  email: string
  attempt: number
  source: string | null
  tls: EmailAttempt['tls']
}) {
  const query = useQuery(dialogueQuery(company, email, attempt))
  if (!query.data) return <Pending of={query} height={120} />
  const { dialogue } = query.data
  return (
    <Stack gap={4}>
      {source !== null && (
        <Text size="sm" c="dimmed">
          From the address {source}
        </Text>
      )}
      {tls !== null && <Tls tls={tls} />}
      {dialogue === '' ? (
        <Text size="sm" c="dimmed">
          No server was contacted.
        </Text>
      ) : (
        <Dialogue text={dialogue} />
      )}
    </Stack>
  )
}

function Tls({ tls }: { tls: NonNullable<EmailAttempt['tls']> }) {
  const { version, cipher, demand, source, verified, doubt } = tls
  return (
    <Text size="sm">
      {version === null ? (
        'Not encrypted'
      ) : (
        <>
          Encrypted with <UntrustedText>{`${version}, ${cipher}`}</UntrustedText>
          {verified ? '; certificate verified' : '; certificate not verified'}
        </>
      )}
      {doubt !== null && (
        <>
          : <UntrustedText>{doubt}</UntrustedText>
        </>
      )}
      .{DEMANDS[source] !== undefined && demand !== 'none' && ` ${DEMANDS[source]} ${NEEDS[demand]}.`}
    </Text>
  )
}

/** The party that demands the encryption; empty for the other sources. */
const DEMANDS: Partial<Record<NonNullable<EmailAttempt['tls']>['source'], string>> = {
  'mta-sts': 'The recipient’s domain (MTA-STS) demands',
  dane: 'The recipient’s domain (DANE) demands',
  message: 'The message demands',
  domain: 'The sending domain demands',
  site: 'The settings of this site demand',
}

const NEEDS = {
  opportunistic: 'encryption where the server offers it',
  required: 'encryption',
  verified: 'encryption with a verified certificate',
} as const

function Dialogue({ text }: { text: string }) {
  return (
    <div
      className={classes.dialogue}
      role="log"
      aria-label="SMTP dialogue"
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it with the arrow keys (WCAG 2.1.1)
      tabIndex={0}
    >
      {stepsOf(text).map(({ ms, from, text: line }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
        <div key={index} className={from === 'us' ? classes.ours : undefined}>
          <span className={classes.ms}>{ms === null ? '' : `${ms} ms`}</span> {MARKS[from]}{' '}
          <bdi>{visible(line)}</bdi>
        </div>
      ))}
    </div>
  )
}

const MARKS = { us: 'C:', them: 'S:', note: ' ·' } as const
