import { Popover } from '@mantine/core'
import { Suspense, useState } from 'react'
import { later } from '../../parts/later.ts'
import { MenuPopover } from '../../parts/menu-popover.tsx'
import { FilterButton } from './filter-button.tsx'
import { ANY_TIME, type ChangeTimes, PERIODS, type Times } from './search.ts'

/** Loaded when the menu opens, because the first view does without it. */
const TimeChoices = later(() => import('./time-choices.tsx'), 'TimeChoices')

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Filters by the time of acceptance: a period up to now, or exact times. */
export function TimeMenu({ search, onChange }: { search: Times; onChange: ChangeTimes }) {
  const [opened, setOpened] = useState(false)
  const choose: ChangeTimes = (times) => {
    setOpened(false)
    onChange(times)
  }
  const label = labelOf(search)
  return (
    <MenuPopover opened={opened} onChange={setOpened}>
      <Popover.Target>
        <FilterButton
          label={label === null ? 'Any time' : 'Time'}
          value={label ?? undefined}
          opened={opened}
          onClick={() => setOpened(!opened)}
          onClear={() => onChange(ANY_TIME)}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label="Time">
        <Suspense>
          <TimeChoices search={search} isAny={label === null} choose={choose} />
        </Suspense>
      </Popover.Dropdown>
    </MenuPopover>
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
