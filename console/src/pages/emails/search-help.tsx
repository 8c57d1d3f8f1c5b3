import { ActionIcon, Popover } from '@mantine/core'
import { CircleHelp } from 'lucide-react'
import { Suspense, useState } from 'react'
import { later } from '../../parts/later.ts'
import { MenuPopover } from '../../parts/menu-popover.tsx'

/** Loaded when the help opens, because the first view does without it. */
const SearchSyntax = later(() => import('./search-syntax.tsx'), 'SearchSyntax')

/** The search syntax. A click on an example adds it to the search. */
export function SearchHelp({ onChoose }: { onChoose: (example: string) => void }) {
  const [opened, setOpened] = useState(false)
  return (
    <MenuPopover
      position="bottom-end"
      width="min(25rem, calc(100vw - 1.5rem))"
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label="Search help" onClick={() => setOpened(!opened)}>
          <CircleHelp size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown
        aria-label="Search help"
        style={{ maxHeight: 'calc(100dvh - 10rem)', overflowY: 'auto' }}
      >
        <Suspense>
          <SearchSyntax
            onChoose={(example) => {
              setOpened(false)
              onChoose(example)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </MenuPopover>
  )
}
