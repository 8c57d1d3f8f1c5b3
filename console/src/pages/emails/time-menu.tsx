import { Button, Divider, Popover, Stack } from '@mantine/core'
import { Suspense, useState } from 'react'
import { later } from '../../parts/later.ts'
import type { ChangeTimes, Times } from './exact-times.tsx'
import { FilterButton } from './filter-button.tsx'
import { PERIODS } from './search.ts'

/** Loaded when the menu opens, because the first view does without it. */
const ExactTimes = later(() => import('./exact-times.tsx'), 'ExactTimes')

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Filters by the time of acceptance: a period up to now, or exact times. */
export function TimeMenu({ search, onChange }: { search: Times; onChange: ChangeTimes }) {
  const [opened, setOpened] = useState(false)
  const { time } = search
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
          <Suspense>
            <ExactTimes search={search} choose={choose} />
          </Suspense>
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
