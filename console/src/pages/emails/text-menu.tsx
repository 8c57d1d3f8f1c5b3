import { Button, Group, Popover, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'

/** Narrows by something that is named. */
export function TextMenu({
  label,
  about,
  value,
  onChange,
}: {
  label: string
  about: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover position="bottom-start" trapFocus withRoles shadow="md" opened={opened} onChange={setOpened}>
      <Popover.Target>
        <Button
          variant={value === undefined ? 'default' : 'light'}
          size="sm"
          px="sm"
          maw={220}
          rightSection={<ChevronDown size={14} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          {value === undefined ? label : `${label}: ${value}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const given = new FormData(event.currentTarget).get('value')
            setOpened(false)
            onChange(typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined)
          }}
        >
          <TextInput
            name="value"
            label={label}
            description={about}
            defaultValue={value ?? ''}
            miw={260}
            data-autofocus
          />
          <Group mt="sm" gap="xs">
            <Button type="submit" size="xs">
              Apply
            </Button>
            {value !== undefined && (
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setOpened(false)
                  onChange(undefined)
                }}
              >
                Any
              </Button>
            )}
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
