import { Popover } from '@mantine/core'
import { Suspense, useState } from 'react'
import { later } from '../../parts/later.ts'
import { statusOf } from '../../parts/status.tsx'
import { FilterButton } from './filter-button.tsx'

const StatusChoices = later(() => import('./status-choices.tsx'), 'StatusChoices')

/** `value`: names of statuses, with commas between them. */
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
  // Stays mounted once it was opened, so that its closing is animated.
  const [wanted, setWanted] = useState(false)
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
          onClick={() => {
            setWanted(true)
            setOpened(!opened)
          }}
          onClear={() => onChange(undefined)}
        />
      </Popover.Target>
      <Suspense>
        {wanted && (
          <StatusChoices
            chosen={chosen}
            onChange={(names) => onChange(names.length === 0 ? undefined : names.join(','))}
          />
        )}
      </Suspense>
    </Popover>
  )
}
