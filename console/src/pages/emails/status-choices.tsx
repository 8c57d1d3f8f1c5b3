import { Checkbox, Popover, Stack } from '@mantine/core'
import { IconWord, statusLook } from '../../parts/status.tsx'
import { choiceWord, STATUS_CHOICES, type StatusChoice } from './search.ts'

/** The content of the status menu, loaded separately because the first view does without it. */
export function StatusChoices({
  chosen,
  onChange,
}: {
  chosen: StatusChoice[]
  onChange: (choices: StatusChoice[]) => void
}) {
  return (
    <Popover.Dropdown aria-label="Status">
      <Checkbox.Group aria-label="Status" value={chosen} onChange={(all) => onChange(all as StatusChoice[])}>
        <Stack gap={8}>
          {STATUS_CHOICES.map((choice) => (
            <Checkbox
              key={choice}
              size="xs"
              value={choice}
              label={<IconWord {...statusLook(choice)} word={choiceWord(choice)} />}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </Popover.Dropdown>
  )
}
