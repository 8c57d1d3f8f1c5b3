import { Anchor } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import { Empty } from './empty.tsx'

/** The empty state of a list whose filters leave nothing. */
export function NoMatches({ icon, what, clear }: { icon: LucideIcon; what: string; clear: () => void }) {
  return (
    <Empty icon={icon} title={`No matching ${what}`}>
      <Anchor component="button" onClick={clear}>
        Clear the filters
      </Anchor>
    </Empty>
  )
}
