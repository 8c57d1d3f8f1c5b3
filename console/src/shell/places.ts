/** Where one can go: the list from which menu, palette and shortcuts are made. */
import { ChartNoAxesColumn, Inbox, type LucideIcon } from 'lucide-react'

export interface Place {
  to: string
  label: string
  icon: LucideIcon
  /** After `g`. */
  key: string
}

const OF_COMPANY: readonly Place[] = [
  { to: '/c/$company/overview', label: 'Overview', icon: ChartNoAxesColumn, key: 'o' },
  { to: '/c/$company/emails', label: 'Emails', icon: Inbox, key: 'e' },
]

/** Those for whoever has signed in. */
export function usePlaces(): readonly Place[] {
  return OF_COMPANY
}
