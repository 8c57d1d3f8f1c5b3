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
import type { ReactNode } from 'react'
import type { EventType } from '../../../src/email/event.ts'
import type { RecipientState } from '../../../src/email/recipient.ts'

/** The last event of an email, or the state or an event of a recipient. */
type StatusName = EventType | RecipientState

interface StatusLook {
  word: string
  icon: LucideIcon
  /** A color of Mantine's palette. It only supports the word and the icon. */
  color: string
  /** A sentence that explains the status. */
  about: string
}

const QUEUED = { icon: Clock, color: 'gray' } as const

export const STATUS: Readonly<Record<StatusName, StatusLook>> = {
  queued: { ...QUEUED, word: 'Queued', about: 'Accepted, and about to be sent.' },
  waiting: { ...QUEUED, word: 'Waiting', about: 'It will be sent when it is due.' },
  scheduled: {
    word: 'Scheduled',
    icon: CalendarClock,
    color: 'blue',
    about: 'It will be sent at the time that its sender set.',
  },
  sending: { word: 'Sending', icon: Send, color: 'blue', about: 'It is being sent now.' },
  sent: { word: 'Sent', icon: Send, color: 'blue', about: 'It is on its way to the recipient’s server.' },
  delivered: {
    word: 'Delivered',
    icon: CircleCheck,
    color: 'road',
    about: 'The recipient’s server accepted it.',
  },
  opened: { word: 'Opened', icon: Eye, color: 'road', about: 'The recipient opened it.' },
  clicked: {
    word: 'Clicked',
    icon: MousePointerClick,
    color: 'road',
    about: 'The recipient clicked a link in it.',
  },
  delivery_delayed: {
    word: 'Delayed',
    icon: RotateCw,
    color: 'orange',
    about: 'It could not be delivered yet. Postroad will try again.',
  },
  bounced: {
    word: 'Bounced',
    icon: CircleX,
    color: 'red',
    about: 'The recipient’s server rejected it permanently.',
  },
  failed: {
    word: 'Failed',
    icon: CircleX,
    color: 'red',
    about: 'It could not be delivered, and Postroad gave up.',
  },
  complained: {
    word: 'Complained',
    icon: Flag,
    color: 'red',
    about: 'The recipient reported it as spam.',
  },
  suppressed: {
    word: 'Suppressed',
    icon: Ban,
    color: 'orange',
    about: 'It was not sent because the address is on the suppression list.',
  },
  quarantined: {
    word: 'Quarantined',
    icon: ShieldAlert,
    color: 'red',
    about: 'Sending it crashed a process. It stays in quarantine until an operator releases it.',
  },
  canceled: {
    word: 'Canceled',
    icon: CircleSlash,
    color: 'gray',
    about: 'It was canceled before it was sent.',
  },
  unsubscribed: {
    word: 'Unsubscribed',
    icon: UserMinus,
    color: 'orange',
    about: 'The recipient unsubscribed from this mail.',
  },
}

/** The look of a name that this page does not know yet. */
const UNKNOWN: Omit<StatusLook, 'word'> = { icon: Hourglass, color: 'gray', about: '' }

export function statusOf(name: string): StatusLook {
  return (STATUS as Readonly<Record<string, StatusLook>>)[name] ?? { ...UNKNOWN, word: name }
}

/** `note`: follows the word, for example "1 of 3". */
export function Status({ of, note, size }: { of: string; note?: ReactNode; size?: 'sm' | 'md' }) {
  return <IconWord {...statusOf(of)} note={note} size={size} />
}

/** A state: an icon and a word, whose color only supports them. */
export function IconWord({
  word,
  icon: Icon,
  color,
  about,
  note,
  size = 'sm',
}: Omit<StatusLook, 'about'> & { about?: string; note?: ReactNode; size?: 'sm' | 'md' | undefined }) {
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
        {note && (
          <Text component="span" inherit c="dimmed" fw={400}>
            {' '}
            {note}
          </Text>
        )}
      </Text>
    </Group>
  )
}
