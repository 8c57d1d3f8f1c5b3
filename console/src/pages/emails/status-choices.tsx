import { Checkbox, Popover, Stack } from '@mantine/core'
import { Status } from '../../parts/status.tsx'
import { STATUSES } from './search.ts'

/** The content of the status menu, loaded separately because the first view does without it. */
export function StatusChoices({
  chosen,
  onChange,
}: {
  chosen: string[]
  onChange: (names: string[]) => void
}) {
  return (
    <Popover.Dropdown aria-label="Status">
      <Checkbox.Group aria-label="Status" value={chosen} onChange={onChange}>
        <Stack gap={8}>
          {STATUSES.map((name) => (
            <Checkbox key={name} size="xs" value={name} label={<Status of={name} />} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Popover.Dropdown>
  )
}
