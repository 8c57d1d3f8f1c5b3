import { Checkbox, Popover, Stack } from '@mantine/core'
import { LISTED_STATUSES, type ListedStatus } from '../../../../src/operate/status-word.ts'
import { IconWord, statusLook } from '../../parts/status.tsx'

/** The content of the status menu, loaded separately because the first view does not need it. */
export function StatusChoices({
  chosen,
  onChange,
}: {
  chosen: ListedStatus[]
  onChange: (choices: ListedStatus[]) => void
}) {
  return (
    <Popover.Dropdown aria-label="Status">
      <Checkbox.Group aria-label="Status" value={chosen} onChange={(all) => onChange(all as ListedStatus[])}>
        <Stack gap={8}>
          {LISTED_STATUSES.map((choice) => (
            <Checkbox key={choice} size="xs" value={choice} label={<IconWord {...statusLook(choice)} />} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Popover.Dropdown>
  )
}
