/** A filter by a named thing, such as a domain: the person searches for it and picks it. */
import { Popover } from '@mantine/core'
import { Suspense, useState } from 'react'
import { later } from '../../parts/later.ts'
import { MenuPopover } from '../../parts/menu-popover.tsx'
import type { ChoiceMenuProps } from './choices.ts'
import { FilterButton } from './filter-button.tsx'

const ChoiceList = later(() => import('./choice-list.tsx'), 'ChoiceList')

export function ChoiceMenu(props: ChoiceMenuProps) {
  const { label, value, onChange } = props
  const [opened, setOpened] = useState(false)
  return (
    <MenuPopover width={300} opened={opened} onChange={setOpened}>
      <Popover.Target>
        <FilterButton
          label={label}
          value={value}
          opened={opened}
          onClick={() => setOpened(!opened)}
          onClear={() => onChange(undefined)}
        />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} p="xs">
        <Suspense>
          <ChoiceList
            {...props}
            onChange={(chosen) => {
              setOpened(false)
              onChange(chosen)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </MenuPopover>
  )
}
