/** The pages of the console, from which the menu, the palette and the shortcuts are built. */
import {
  ArrowLeftRight,
  Ban,
  ChartNoAxesColumn,
  Globe,
  Inbox,
  KeyRound,
  type LucideIcon,
  Rocket,
  ScrollText,
  Server,
  Settings,
  Undo2,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { useMe } from '../api/session.ts'
import { ALL, useCompany, useRole } from './company.ts'

interface NavItem {
  to: string
  label: string
  icon: LucideIcon
  /** The key that opens the page after `g`. */
  key: string
}

const OF_COMPANY: readonly NavItem[] = [
  { to: '/c/$company/overview', label: 'Overview', icon: ChartNoAxesColumn, key: 'o' },
  { to: '/c/$company/emails', label: 'Emails', icon: Inbox, key: 'e' },
  { to: '/c/$company/domains', label: 'Domains', icon: Globe, key: 'd' },
  { to: '/c/$company/keys', label: 'API keys', icon: KeyRound, key: 'k' },
  { to: '/c/$company/requests', label: 'API requests', icon: ArrowLeftRight, key: 'r' },
  { to: '/c/$company/returned', label: 'Returned mail', icon: Undo2, key: 'b' },
  { to: '/c/$company/webhooks', label: 'Webhooks', icon: Webhook, key: 'w' },
  { to: '/c/$company/suppressions', label: 'Suppressions', icon: Ban, key: 's' },
]
/** Lists the people of the company, or all people for an operator who views all companies. */
const PEOPLE: NavItem = { to: '/c/$company/team', label: 'Team', icon: UsersRound, key: 't' }
const AUDIT: NavItem = { to: '/c/$company/audit', label: 'Audit', icon: ScrollText, key: 'a' }
/** The pages of a single company. */
const SETTINGS: NavItem = { to: '/c/$company/settings', label: 'Settings', icon: Settings, key: 'c' }
const START: NavItem = { to: '/c/$company/start', label: 'Get started', icon: Rocket, key: 'n' }
const INSTALLATION: NavItem = { to: '/installation', label: 'Installation', icon: Server, key: 'i' }

/** The pages that the signed-in person may open. */
export function useNavItems(): readonly NavItem[] {
  const { person } = useMe()
  // Viewers change nothing, so they have no use for the audit list.
  const audit = useRole() === 'viewer' ? [] : [AUDIT]
  const settings = useCompany() === ALL ? [] : [SETTINGS]
  return [...OF_COMPANY, PEOPLE, ...audit, ...settings, START, ...(person.operator ? [INSTALLATION] : [])]
}
