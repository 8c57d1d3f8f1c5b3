import { Popover } from '@mantine/core'
import { Suspense, useState } from 'react'
import { STATUS_WORDS } from '../../../../src/operate/status-word.ts'
import { later } from '../../parts/later.ts'
import { MenuPopover } from '../../parts/menu-popover.tsx'
import { FilterButton } from './filter-button.tsx'
import { statusesIn } from './search.ts'

const StatusChoices = later(() => import('./status-choices.tsx'), 'StatusChoices')

/** `value`: statuses, with commas between them. */
export function StatusMenu({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const chosen = statusesIn(value)
  const words = chosen.map((status) => STATUS_WORDS[status].word)
  const [opened, setOpened] = useState(false)
  // Stays mounted once it was opened, so that its closing is animated.
  const [wanted, setWanted] = useState(false)
  const all = words.join(', ')
  const short = words.length < 3 ? all : `${words.length} statuses`
  return (
    <MenuPopover opened={opened} onChange={setOpened}>
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
          <StatusChoices chosen={chosen} onChange={(choices) => onChange(choices.join() || undefined)} />
        )}
      </Suspense>
    </MenuPopover>
  )
}
