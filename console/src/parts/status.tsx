import { Group, Text } from '@mantine/core'
import {
  Ban,
  CalendarClock,
  CircleCheck,
  CircleSlash,
  CircleX,
  Clock,
  Eye,
  Flag,
  Hourglass,
  type LucideIcon,
  MousePointerClick,
  RotateCw,
  Send,
  ShieldAlert,
  UserMinus,
} from 'lucide-react'
import type { EventType } from '../../../src/email/event.ts'
import type { RecipientState } from '../../../src/email/recipient.ts'

/** What became of an email (its last event) or of a recipient (his state, or what happened to him). */
export type StatusName = EventType | RecipientState

export interface StatusLook {
  word: string
  icon: LucideIcon
  /** Of Mantine's palette. It never says anything alone: word and icon do. */
  color: string
  /** What it means, in a sentence. */
  about: string
}

const QUEUED = { icon: Clock, color: 'gray' } as const

export const STATUS: Readonly<Record<StatusName, StatusLook>> = {
  queued: { ...QUEUED, word: 'Queued', about: 'Accepted, and about to be sent.' },
  waiting: { ...QUEUED, word: 'Waiting', about: 'It is sent when its time has come.' },
  scheduled: {
    word: 'Scheduled',
    icon: CalendarClock,
    color: 'blue',
    about: 'It waits for the time that its sender gave.',
  },
  sending: { word: 'Sending', icon: Send, color: 'blue', about: 'It is being sent right now.' },
  sent: { word: 'Sent', icon: Send, color: 'blue', about: 'It is on its way to the recipient’s server.' },
  delivered: {
    word: 'Delivered',
    icon: CircleCheck,
    color: 'road',
    about: 'The recipient’s server has taken it.',
  },
  opened: { word: 'Opened', icon: Eye, color: 'road', about: 'Its recipient has opened it.' },
  clicked: {
    word: 'Clicked',
    icon: MousePointerClick,
    color: 'road',
    about: 'Its recipient has followed a link in it.',
  },
  delivery_delayed: {
    word: 'Delayed',
    icon: RotateCw,
    color: 'orange',
    about: 'It could not be delivered yet, and is tried again.',
  },
  bounced: {
    word: 'Bounced',
    icon: CircleX,
    color: 'red',
    about: 'The recipient’s server has refused it for good.',
  },
  failed: { word: 'Failed', icon: CircleX, color: 'red', about: 'It was given up.' },
  complained: {
    word: 'Complained',
    icon: Flag,
    color: 'red',
    about: 'Its recipient has reported it as spam.',
  },
  suppressed: {
    word: 'Suppressed',
    icon: Ban,
    color: 'orange',
    about: 'It was not sent: the address is on the suppression list.',
  },
  quarantined: {
    word: 'Quarantined',
    icon: ShieldAlert,
    color: 'red',
    about: 'Trying to send it took down a process: it is held back until an operator releases it.',
  },
  canceled: {
    word: 'Canceled',
    icon: CircleSlash,
    color: 'gray',
    about: 'It was stopped before it was sent.',
  },
  unsubscribed: {
    word: 'Unsubscribed',
    icon: UserMinus,
    color: 'orange',
    about: 'Its recipient wants no more of this mail.',
  },
}

/** Of a name that this page does not know yet. */
const UNKNOWN: Omit<StatusLook, 'word'> = { icon: Hourglass, color: 'gray', about: '' }

export function statusOf(name: string): StatusLook {
  return (STATUS as Readonly<Record<string, StatusLook>>)[name] ?? { ...UNKNOWN, word: name }
}

/** Icon and word. `note`: what is said behind it, as "1 of 3". */
export function Status({
  of,
  note,
  size = 'sm',
}: {
  of: string
  note?: string | undefined
  size?: 'xs' | 'sm' | 'md'
}) {
  const { word, icon: Icon, color, about } = statusOf(of)
  return (
    <Group gap={6} wrap="nowrap" component="span" title={about} display="inline-flex">
      <Icon
        size={size === 'md' ? 18 : 16}
        color={`var(--mantine-color-${color}-text)`}
        style={{ flexShrink: 0 }}
        aria-hidden
      />
      <Text component="span" size={size} fw={500} style={{ whiteSpace: 'nowrap' }}>
        {word}
        {note !== undefined && (
          <Text component="span" inherit c="dimmed" fw={400}>
            {` ${note}`}
          </Text>
        )}
      </Text>
    </Group>
  )
}
