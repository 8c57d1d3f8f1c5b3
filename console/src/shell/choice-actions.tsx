/** The actions of a choice bar: buttons, each with a key. */
import { Button } from '@mantine/core'
import { Ban, type LucideIcon, RotateCw, UserX } from 'lucide-react'
import { useRef } from 'react'
import { useShortcuts } from './shortcuts.ts'

interface ChoiceAction<Name extends string> {
  name: Name
  keys: string
  label: string
  /** The description of the shortcut. */
  does: string
  icon: LucideIcon
}

/** Actions on mail, which several lists offer. */
export const RETRY = { name: 'retry', keys: 'r', label: 'Retry', icon: RotateCw } as const
export const CANCEL = { name: 'cancel', keys: 'c', label: 'Cancel', icon: Ban } as const
export const SUPPRESS = { name: 'suppress', keys: 's', label: 'Suppress', icon: UserX } as const

export function ChoiceActions<Name extends string>({
  actions,
  ask,
}: {
  actions: readonly ChoiceAction<Name>[]
  ask: (name: Name) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  useShortcuts([
    ...actions.map(({ name, keys, does }) => ({ keys, does, run: () => ask(name) })),
    {
      keys: 'a',
      // The rest of the list lies between a row and the bar.
      does: 'Go to the actions on the selected rows',
      run: () => place.current?.querySelector('button')?.focus(),
    },
  ])
  return (
    <div ref={place} style={{ display: 'contents' }}>
      {actions.map(({ name, label, icon: Icon }) => (
        <Button
          key={name}
          size="xs"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          onClick={() => ask(name)}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}
