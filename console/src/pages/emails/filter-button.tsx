import { ActionIcon, Button, type ButtonProps } from '@mantine/core'
import { ChevronDown, X } from 'lucide-react'
import type { Ref } from 'react'

/** The button that opens a filter. An active filter shows its value and a second button that removes it. */
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
  /** The value of the filter, shortened. */
  value: string | undefined
  /** The value in full. */
  full?: string | undefined
  opened: boolean
  onClick: () => void
  onClear: () => void
  /** The ref and the properties of the button come from the popover's target. */
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
        <ActionIcon variant="light" size={36} aria-label={`Remove the filter: ${label}`} onClick={onClear}>
          <X size={14} aria-hidden />
        </ActionIcon>
      )}
    </Button.Group>
  )
}
