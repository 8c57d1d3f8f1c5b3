/** Where one can go: the list from which menu, palette and shortcuts are made. */
import {
  Ban,
  ChartNoAxesColumn,
  Globe,
  Inbox,
  KeyRound,
  type LucideIcon,
  Rocket,
  ScrollText,
  Server,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { useMe } from '../api/session.ts'
import { useRole } from './company.ts'

export interface NavItem {
  to: string
  label: string
  icon: LucideIcon
  /** After `g`. */
  key: string
}

const OF_COMPANY: readonly NavItem[] = [
  { to: '/c/$company/overview', label: 'Overview', icon: ChartNoAxesColumn, key: 'o' },
  { to: '/c/$company/emails', label: 'Emails', icon: Inbox, key: 'e' },
  { to: '/c/$company/domains', label: 'Domains', icon: Globe, key: 'd' },
  { to: '/c/$company/keys', label: 'API keys', icon: KeyRound, key: 'k' },
  { to: '/c/$company/webhooks', label: 'Webhooks', icon: Webhook, key: 'w' },
  { to: '/c/$company/suppressions', label: 'Suppressions', icon: Ban, key: 's' },
]
/** Of one company, or for operators everybody. */
const PEOPLE: NavItem = { to: '/c/$company/team', label: 'Team', icon: UsersRound, key: 't' }
const AUDIT: NavItem = { to: '/c/$company/audit', label: 'Audit', icon: ScrollText, key: 'a' }
const START: NavItem = { to: '/c/$company/start', label: 'Get started', icon: Rocket, key: 'n' }
const INSTALLATION: NavItem = { to: '/installation', label: 'Installation', icon: Server, key: 'i' }

/** Those for whoever has signed in. */
export function useNavItems(): readonly NavItem[] {
  const { person } = useMe()
  // Who only looks has changed nothing.
  const audit = useRole() === 'viewer' ? [] : [AUDIT]
  return [...OF_COMPANY, PEOPLE, ...audit, START, ...(person.operator ? [INSTALLATION] : [])]
}
