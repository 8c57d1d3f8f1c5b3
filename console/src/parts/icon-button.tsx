import { ActionIcon, Tooltip } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'

/** `label`: the tooltip. `name`: names the object of the action, too, for screen readers. */
export function IconButton({
  icon: Icon,
  label,
  name = label,
  color = 'gray',
  variant = 'subtle',
  disabled = false,
  onClick,
}: {
  icon: LucideIcon
  label: string
  name?: string
  color?: string
  variant?: 'subtle' | 'default'
  disabled?: boolean
  onClick: () => void
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant={variant} color={color} aria-label={name} disabled={disabled} onClick={onClick}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
