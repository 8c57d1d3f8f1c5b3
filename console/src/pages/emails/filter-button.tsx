import { ActionIcon, Button, type ButtonProps } from '@mantine/core'
import { ChevronDown, X } from 'lucide-react'
import type { Ref } from 'react'

/** What opens a filter; where one is set, it says which, and a second button takes it away. */
export function FilterButton({
  label,
  value,
  full = value,
  opened,
  onClear,
  ref,
  ...rest
}: {
  label: string
  /** What it is set to, in short. */
  value: string | undefined
  /** The same in full. */
  full?: string | undefined
  opened: boolean
  onClick: () => void
  onClear: () => void
  /** It and the properties of buttons are given by what places the menu. */
  ref?: Ref<HTMLButtonElement>
} & ButtonProps) {
  const isSet = value !== undefined
  return (
    <Button.Group>
      <Button
        {...(ref !== undefined && { ref })}
        aria-haspopup="dialog"
        aria-expanded={opened}
        {...rest}
        variant={isSet ? 'light' : 'default'}
        size="sm"
        px="sm"
        maw={240}
        rightSection={isSet ? undefined : <ChevronDown size={14} aria-hidden />}
        aria-label={isSet ? `${label}: ${full}` : label}
      >
        {isSet ? value : label}
      </Button>
      {isSet && (
        <ActionIcon variant="light" size={36} aria-label={`Remove the filter ${label}`} onClick={onClear}>
          <X size={14} aria-hidden />
        </ActionIcon>
      )}
    </Button.Group>
  )
}
