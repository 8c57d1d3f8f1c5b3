/** Commands that work on every page: the palette, navigation by keys, and the list of shortcuts. */

import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import { later } from '../parts/later.ts'
import { useCompany } from './company.ts'
import { useNavItems } from './nav-items.ts'
import { useShortcuts } from './shortcuts.ts'

const Palette = later(() => import('./palette.tsx'), 'Palette')
const ShortcutHelp = later(() => import('./shortcut-help.tsx'), 'ShortcutHelp')

export function Commands() {
  const navigate = useNavigate()
  const company = useCompany()
  const [palette, { open: openPalette, close: closePalette }] = useDisclosure()
  const [help, { open: openHelp, close: closeHelp }] = useDisclosure()
  const going = useNavItems().map(({ to, label, key }) => ({
    keys: `g ${key}`,
    does: `Go to ${label}`,
    run: () => void navigate({ to: to.replace('$company', company) }),
  }))
  useShortcuts([...going, { keys: '?', does: 'Show keyboard shortcuts', run: openHelp }])
  // Works while a form field has the focus, too.
  useHotkeys([['mod+K', openPalette]], [])
  return (
    <Suspense>
      {palette && <Palette onClose={closePalette} onHelp={openHelp} />}
      {help && <ShortcutHelp onClose={closeHelp} />}
    </Suspense>
  )
}
