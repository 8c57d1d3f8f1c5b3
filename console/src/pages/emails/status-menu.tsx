import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { Status, statusOf } from '../../parts/status.tsx'
import { STATUSES } from './search.ts'

/** `value`: names with commas. */
export function StatusMenu({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const chosen = value === undefined ? [] : value.split(',')
  const words = chosen.map((name) => statusOf(name).word)
  const label =
    words.length === 0 ? 'Status' : words.length < 3 ? words.join(', ') : `${words.length} statuses`
  return (
    <Popover position="bottom-start" trapFocus withRoles shadow="md">
      <Popover.Target>
        <Button
          variant={chosen.length > 0 ? 'light' : 'default'}
          size="sm"
          px="sm"
          rightSection={<ChevronDown size={14} aria-hidden />}
          aria-label={chosen.length > 0 ? `Status: ${words.join(', ')}` : 'Status'}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Status">
        <Checkbox.Group
          aria-label="Status"
          value={chosen}
          onChange={(names) => onChange(names.length === 0 ? undefined : names.join(','))}
        >
          <Stack gap={8}>
            {STATUSES.map((name) => (
              <Checkbox key={name} size="xs" value={name} label={<Status of={name} />} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  )
}
