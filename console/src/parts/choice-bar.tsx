/** The bar below a list with selected rows: how many there are, and what can be done with them. */
import { Button, Group, Paper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { AllMatching } from './all-matching.ts'
import { type BatchAction, BatchDialog } from './batch-dialog.tsx'
import classes from './choice-bar.module.css'
import type { RowSelection } from './row-selection.ts'

interface ChoiceBarProps<Name extends string> {
  chosen: RowSelection
  matching: Pick<AllMatching<unknown>, 'looking' | 'choose'>
  /** Rows that the list has loaded. */
  loaded: number
  /** There are more rows than those. */
  hasMore: boolean
  /** `ask` opens the dialog of an action. */
  children: (ask: (name: Name) => void) => ReactNode
  actionOf: (name: Name, ids: readonly string[]) => BatchAction
  /** How a row is shown to people that could not be changed. */
  nameOf: (id: string) => string
  /** The action that was asked for before the bar was shown. */
  first?: Name | null
  /** `isDone`: the action was started. */
  onClose: (name: Name, isDone: boolean) => void
}

export function ChoiceBar<Name extends string>({
  chosen,
  matching: { looking, choose },
  loaded,
  hasMore,
  children,
  actionOf,
  nameOf,
  first = null,
  onClose,
}: ChoiceBarProps<Name>) {
  const [asked, setAsked] = useState<Name | null>(first)
  const ids = [...chosen.ids]
  // While rows are looked for, it is not known which ones the action is for.
  const ask = (name: Name) => {
    if (looking === null) setAsked(name)
  }
  const clear = () => chosen.set([])
  const close = (name: Name, isDone: boolean) => {
    setAsked(null)
    if (isDone) clear()
    onClose(name, isDone)
  }
  return (
    <>
      <Paper
        withBorder
        shadow="md"
        p="xs"
        className={classes.bar}
        component="section"
        aria-label="Selected rows"
      >
        <Group gap="xs">
          <Text size="sm" fw={600} role="status" style={{ whiteSpace: 'nowrap' }}>
            {(looking ?? ids.length).toLocaleString()} selected
          </Text>
          {(hasMore || ids.length < loaded) && (
            <Button size="xs" variant="default" loading={looking !== null} onClick={choose}>
              Select all that match
            </Button>
          )}
          {children(ask)}
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear selection
          </Button>
        </Group>
      </Paper>
      {asked !== null && (
        <BatchDialog
          action={actionOf(asked, ids)}
          chosen={ids}
          nameOf={nameOf}
          onClose={(isDone) => close(asked, isDone)}
        />
      )}
    </>
  )
}
