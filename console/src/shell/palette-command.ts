import type { LucideIcon } from 'lucide-react'

export interface PaletteCommand {
  id: string
  label: string
  icon: LucideIcon
  /** Further words by which it is found. */
  words?: string
  run: () => void
}
