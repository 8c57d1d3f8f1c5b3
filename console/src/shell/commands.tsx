/** What works from everywhere: the palette, going somewhere by keys, and the list of all keys. */
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useCompany } from './company.ts'
import { useNavItems } from './nav-items.ts'
import { useShortcuts } from './shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const ShortcutHelp = lazy(async () => ({ default: (await import('./shortcut-help.tsx')).ShortcutHelp }))

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
  useShortcuts([...going, { keys: '?', does: 'Show all keys', run: openHelp }])
  // Also from within a field of a form.
  useHotkeys([['mod+K', openPalette]], [])
  return (
    <Suspense>
      {palette && <Palette onClose={closePalette} onHelp={openHelp} />}
      {help && <ShortcutHelp onClose={closeHelp} />}
    </Suspense>
  )
}
