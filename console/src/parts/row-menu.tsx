import { ActionIcon, Button, Menu } from '@mantine/core'
import { EllipsisVertical, type LucideIcon } from 'lucide-react'

interface RowMenuItem {
  label: string
  icon?: LucideIcon
  destructive?: boolean
  disabled?: boolean
  onClick: () => void
}

/** The actions on a row, behind one button; a single one is a button itself. An item that is `false` is left out. */
export function RowMenu({
  label,
  variant = 'subtle',
  items,
}: {
  /** Names the row. */
  label: string
  variant?: 'subtle' | 'default'
  items: readonly (RowMenuItem | false)[]
}) {
  const offered = items.filter((item) => item !== false)
  if (offered.length === 1) return <OnlyAction variant={variant} {...offered[0]!} />
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant={variant} color="gray" aria-label={label}>
          <EllipsisVertical size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ label, icon: Icon, destructive = false, disabled = false, onClick }) => (
          <Menu.Item
            key={label}
            {...(destructive && { c: 'red' })}
            leftSection={Icon && <Icon size={16} aria-hidden />}
            disabled={disabled}
            onClick={onClick}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function OnlyAction({
  label,
  icon: Icon,
  variant,
  destructive = false,
  disabled = false,
  onClick,
}: RowMenuItem & { variant: 'subtle' | 'default' }) {
  return (
    <Button
      size="xs"
      variant={variant}
      {...(destructive && { color: 'red' })}
      leftSection={Icon && <Icon size={16} aria-hidden />}
      disabled={disabled}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}
