/** How far a domain is, in a word: what DNS shows of it, and whether mail may leave. */
import { Badge, Tooltip } from '@mantine/core'
import { CircleCheck, CircleDashed, CircleSlash, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { Domain } from '../../api/domains.ts'

interface Look {
  word: string
  about: string
  color: string
  icon: LucideIcon
}

export function stateOf({ status, sending }: Pick<Domain, 'status' | 'sending'>): Look {
  if (sending === 'suspended') {
    return {
      word: 'Suspended',
      about: 'An operator of this service has stopped mail from this domain.',
      color: 'red',
      icon: CircleSlash,
    }
  }
  if (sending === 'inactive') {
    return {
      word: 'Waiting for DNS',
      about: 'No mail can be sent before its DNS records are found.',
      color: 'gray',
      icon: CircleDashed,
    }
  }
  if (status === 'verified') {
    return {
      word: 'Verified',
      about: 'Its DNS records are right, and mail may be sent from it.',
      color: 'road',
      icon: CircleCheck,
    }
  }
  return {
    word: 'Sending, not verified',
    about: 'Mail may be sent from it, though its DNS records are not right: receivers may refuse it.',
    color: 'orange',
    icon: TriangleAlert,
  }
}

export function DomainState({
  of,
  size = 'md',
}: {
  of: Pick<Domain, 'status' | 'sending'>
  size?: 'md' | 'lg'
}) {
  const { word, about, color, icon: Icon } = stateOf(of)
  return (
    <Tooltip label={about} multiline maw={300}>
      <Badge
        variant="light"
        color={color}
        size={size}
        tt="none"
        leftSection={<Icon size={14} aria-hidden />}
        data-state={`${of.status} ${of.sending}`}
      >
        {word}
      </Badge>
    </Tooltip>
  )
}
