/** The bar below a list with chosen rows: how many there are, and what can be done with them. */
import { Button, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AllMatching } from './all-matching.ts'
import classes from './choice-bar.module.css'

interface ChoiceBarProps {
  count: number
  matching: Pick<AllMatching<unknown>, 'looking' | 'choose'>
  /** More rows match than are chosen. */
  hasOthers: boolean
  onClear: () => void
  children: ReactNode
}

export function ChoiceBar({ count, matching, hasOthers, onClear, children }: ChoiceBarProps) {
  const { looking } = matching
  return (
    <Paper withBorder shadow="md" p="xs" className={classes.bar} component="section" aria-label="Chosen rows">
      <Group gap="xs">
        <Text size="sm" fw={600} role="status" style={{ whiteSpace: 'nowrap' }}>
          {(looking ?? count).toLocaleString()} chosen
        </Text>
        {hasOthers && (
          <Button size="xs" variant="default" loading={looking !== null} onClick={matching.choose}>
            Choose all that match
          </Button>
        )}
        {children}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}
