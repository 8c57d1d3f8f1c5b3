import { Group, Text } from '@mantine/core'
import {
  Ban,
  CalendarClock,
  CircleCheck,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock,
  Eye,
  Flag,
  Hourglass,
  Inbox,
  type LucideIcon,
  MousePointerClick,
  RotateCw,
  Send,
  ShieldAlert,
  UserMinus,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { STATUS_WORDS, type StatusName, type StatusWord } from '../../../src/operate/status-word.ts'

interface StatusLook {
  icon: LucideIcon
  /** A color of Mantine's palette. It only supports the word and the icon. */
  color: string
}

const LOOKS: Readonly<Record<StatusName, StatusLook>> = {
  accepted: { icon: Clock, color: 'gray' },
  scheduled: { icon: CalendarClock, color: 'blue' },
  sending: { icon: Send, color: 'blue' },
  retrying: { icon: RotateCw, color: 'orange' },
  paused: { icon: CirclePause, color: 'orange' },
  held: { icon: Hourglass, color: 'orange' },
  quarantined: { icon: ShieldAlert, color: 'red' },
  delivered: { icon: CircleCheck, color: 'road' },
  captured: { icon: Inbox, color: 'road' },
  opened: { icon: Eye, color: 'road' },
  clicked: { icon: MousePointerClick, color: 'road' },
  unsubscribed: { icon: UserMinus, color: 'orange' },
  bounced: { icon: CircleX, color: 'red' },
  failed: { icon: CircleX, color: 'red' },
  complained: { icon: Flag, color: 'red' },
  suppressed: { icon: Ban, color: 'orange' },
  canceled: { icon: CircleSlash, color: 'gray' },
}

/** The look of a status that a newer server reports and this page does not know yet. */
const UNKNOWN: StatusLook = { icon: Hourglass, color: 'gray' }

export function statusLook(of: StatusName): StatusLook & StatusWord {
  return { ...(LOOKS[of] ?? UNKNOWN), ...(STATUS_WORDS[of] ?? { word: of, about: '' }) }
}

/** `note`: follows the word, for example "1 of 3". */
export function Status({ of, note, size }: { of: StatusName; note?: ReactNode; size?: 'sm' | 'md' }) {
  return <IconWord {...statusLook(of)} note={note} size={size} />
}

/** A state: an icon and a word, whose color only supports them. */
export function IconWord({
  word,
  icon: Icon,
  color,
  about,
  note,
  size = 'sm',
}: StatusLook & { word: string; about?: string; note?: ReactNode; size?: 'sm' | 'md' | undefined }) {
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
