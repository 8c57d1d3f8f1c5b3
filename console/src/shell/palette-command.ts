import type { LucideIcon } from 'lucide-react'

export interface PaletteCommand {
  id: string
  label: string
  icon: LucideIcon
  /** More words that a search in the palette finds. */
  words?: string
  run: () => void
}
