/** The bar below a list with chosen rows: how many there are, and what can be done with them. */
import { Button, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './choice-bar.module.css'

interface ChoiceBarProps {
  count: number
  onClear: () => void
  children: ReactNode
}

export function ChoiceBar({ count, onClear, children }: ChoiceBarProps) {
  return (
    <Paper withBorder shadow="md" p="xs" className={classes.bar} component="section" aria-label="Chosen rows">
      <Group gap="xs">
        <Text size="sm" fw={600} role="status" style={{ whiteSpace: 'nowrap' }}>
          {count.toLocaleString()} chosen
        </Text>
        {children}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}
