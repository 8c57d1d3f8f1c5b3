import { Checkbox, Popover, Stack } from '@mantine/core'
import { useState } from 'react'
import { Status, statusOf } from '../../parts/status.tsx'
import { FilterButton } from './filter-button.tsx'
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
  const [opened, setOpened] = useState(false)
  const all = words.join(', ')
  const short = words.length < 3 ? all : `${words.length} statuses`
  return (
    <Popover position="bottom-start" trapFocus withRoles shadow="md" opened={opened} onChange={setOpened}>
      <Popover.Target>
        <FilterButton
          label="Status"
          value={chosen.length > 0 ? short : undefined}
          full={all}
          opened={opened}
          onClick={() => setOpened(!opened)}
          onClear={() => onChange(undefined)}
        />
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
