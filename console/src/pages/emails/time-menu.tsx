import { Button, Divider, Group, Popover, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FilterButton } from './filter-button.tsx'
import { type EmailsSearch, PERIODS } from './search.ts'

type Times = Pick<EmailsSearch, 'time' | 'since' | 'until'>
type ChangeTimes = (times: { [Name in keyof Times]-?: string | undefined }) => void

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Filters by the time of acceptance: a period up to now, or exact times. */
export function TimeMenu({ search, onChange }: { search: Times; onChange: ChangeTimes }) {
  const [opened, setOpened] = useState(false)
  const { time, since, until } = search
  const choose: ChangeTimes = (times) => {
    setOpened(false)
    onChange(times)
  }
  const label = labelOf(search)
  return (
    <Popover position="bottom-start" trapFocus withRoles shadow="md" opened={opened} onChange={setOpened}>
      <Popover.Target>
        <FilterButton
          label={label === null ? 'Any time' : 'Time'}
          value={label ?? undefined}
          opened={opened}
          onClick={() => setOpened(!opened)}
          onClear={() => onChange(ANY)}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label="Time">
        <Stack gap={4}>
          <Period label="Any time" chosen={label === null} onChoose={() => choose(ANY)} />
          {Object.entries(PERIODS).map(([name, { label: words }]) => (
            <Period
              key={name}
              label={words}
              chosen={time === name}
              onChoose={() => choose({ ...ANY, time: name })}
            />
          ))}
          <Divider my={4} />
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const form = new FormData(event.currentTarget)
              choose({
                time: undefined,
                since: momentOf(form.get('since')),
                until: momentOf(form.get('until')),
              })
            }}
          >
            <TextInput
              type="datetime-local"
              name="since"
              label="From"
              defaultValue={fieldOf(since)}
              size="xs"
            />
            <TextInput
              type="datetime-local"
              name="until"
              label="Until"
              defaultValue={fieldOf(until)}
              size="xs"
              mt={4}
            />
            <Group mt="xs">
              <Button type="submit" size="xs">
                Apply
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const ANY = { time: undefined, since: undefined, until: undefined }

function Period({ label, chosen, onChoose }: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <Button
      variant={chosen ? 'light' : 'subtle'}
      color={chosen ? 'road' : 'gray'}
      size="xs"
      justify="flex-start"
      aria-pressed={chosen}
      onClick={onChoose}
    >
      {label}
    </Button>
  )
}

function labelOf({ time, since, until }: Times): string | null {
  if (time !== undefined && PERIODS[time] !== undefined) return PERIODS[time].label
  const [from, to] = [shown(since), shown(until)]
  if (from !== null && to !== null) return `${from} to ${to}`
  if (from !== null) return `Since ${from}`
  return to === null ? null : `Until ${to}`
}

function shown(text: string | undefined): string | null {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? null : SHORT.format(at)
}

/** The value of a `datetime-local` field: in the viewer's time zone, without an offset. */
function fieldOf(text: string | undefined): string {
  const at = Date.parse(text ?? '')
  if (Number.isNaN(at)) return ''
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The address holds the time with its zone, so that a link means the same to everybody. */
function momentOf(value: FormDataEntryValue | null): string | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
