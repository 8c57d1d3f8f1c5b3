/** The state of a domain in one word: the state of its DNS records, and whether it may send. */
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
      about: 'An operator has stopped mail from this domain.',
      color: 'red',
      icon: CircleSlash,
    }
  }
  if (sending === 'inactive') {
    return {
      word: 'Waiting for DNS',
      about: 'The domain cannot send until its DNS records are found.',
      color: 'gray',
      icon: CircleDashed,
    }
  }
  if (status === 'verified') {
    return {
      word: 'Verified',
      about: 'The DNS records are right, and the domain may send.',
      color: 'road',
      icon: CircleCheck,
    }
  }
  return {
    word: 'Sending, not verified',
    about: 'The domain may send, but its DNS records are not right, so servers may refuse its mail.',
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
        leftSection={<Icon size={14} aria-hidden />}
        data-state={`${of.status} ${of.sending}`}
      >
        {word}
      </Badge>
    </Tooltip>
  )
}
