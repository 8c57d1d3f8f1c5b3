/** Checks that passed, folded away: they ask for nothing. */
import { Button, Collapse } from '@mantine/core'
import { type ReactNode, useState } from 'react'

export function PassedChecks({ count, children }: { count: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const checks = count === 1 ? '1 check' : `${count} checks`
  return (
    <div>
      <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide the checks that passed' : `${checks} passed`}
      </Button>
      <Collapse expanded={isOpen}>{children}</Collapse>
    </div>
  )
}
