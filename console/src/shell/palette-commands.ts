/** The commands of the palette: it opens pages, companies and settings, and acts. */
import { useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  Building2,
  Keyboard,
  LogOut,
  type LucideIcon,
  Mail,
  Monitor,
  Moon,
  Plus,
  RotateCw,
  Search,
  Send,
  Sun,
  UserRound,
} from 'lucide-react'
import { retryWaiting } from '../api/overview.ts'
import { queries } from '../api/queries.ts'
import { backlogQuery } from '../api/queue.ts'
import { signOut, useMe } from '../api/session.ts'
import { attempt, confirm } from '../parts/confirm.tsx'
import { visible } from '../parts/untrusted-text.tsx'
import { ALL, useCompany, useMayManage } from './company.ts'
import { useNavItems } from './nav-items.ts'
import type { PaletteCommand } from './palette-command.ts'
import { usePaletteResults } from './palette-results.ts'
import { useMailInWords } from './pause-fields.tsx'
import { retryAction } from './retry-waiting.ts'

const EMAIL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Companies that are listed; pages and actions are few. */
const MAX_COMPANIES = 30

export function useCommands(text: string, onHelp: () => void): PaletteCommand[] {
  const navigate = useNavigate()
  const company = useCompany()
  const { companies } = useMe()
  const actions = useActions(onHelp)
  const found = usePaletteResults(text)
  const pages = useNavItems().map(({ to, label, icon }) => ({
    id: to,
    label,
    icon,
    run: () => void navigate({ to: to.replace('$company', company) }),
  }))
  const others = companies
    .filter(({ id }) => id !== company)
    .map(({ id, name }) => ({
      id,
      label: `Company ${visible(name)}`,
      icon: Building2,
      run: () => void navigate({ to: '/c/$company/emails', params: { company: id } }),
    }))
  const wanted = text.toLowerCase()
  const isWanted = ({ label, words = '' }: PaletteCommand) =>
    `${label} ${words}`.toLowerCase().includes(wanted)
  const named = [
    ...[...pages, ...actions].filter(isWanted),
    ...others.filter(isWanted).slice(0, MAX_COMPANIES),
  ]
  if (text === '') return named
  const email = EMAIL_ID.test(text)
    ? {
        id: 'email',
        label: `Email ${text}`,
        icon: Mail,
        run: () => void navigate({ to: '/c/$company/emails/$id', params: { company, id: text } }),
      }
    : {
        id: 'search',
        label: `Search emails for "${text}"`,
        icon: Search,
        run: () => void navigate({ to: '/c/$company/emails', params: { company }, search: { q: text } }),
      }
  return [...named, ...found, email]
}

function useActions(onHelp: () => void): PaletteCommand[] {
  const navigate = useNavigate()
  const company = useCompany()
  const allMail = useMailInWords(company, null)
  const mayManage = useMayManage()
  const { setColorScheme } = useMantineColorScheme()
  const params = { company }
  const scheme = (name: 'light' | 'dark' | 'auto', label: string, icon: LucideIcon) => ({
    id: `scheme ${name}`,
    label,
    icon,
    words: 'theme appearance colors',
    run: () => setColorScheme(name),
  })
  const adding: PaletteCommand[] = [
    {
      id: 'add domain',
      label: 'Add domain',
      icon: Plus,
      run: () => void navigate({ to: '/c/$company/domains', params, search: { add: true } }),
    },
    {
      id: 'create key',
      label: 'Create API key',
      icon: Plus,
      words: 'add',
      run: () => void navigate({ to: '/c/$company/keys', params, search: { add: true } }),
    },
    {
      id: 'add webhook',
      label: 'Add webhook',
      icon: Plus,
      run: () => void navigate({ to: '/c/$company/webhooks', params, search: { add: true } }),
    },
    {
      id: 'add suppression',
      label: 'Add suppression',
      icon: Plus,
      words: 'suppress address',
      run: () => void navigate({ to: '/c/$company/suppressions', params, search: { dialog: 'add' } }),
    },
    {
      id: 'test message',
      label: 'Send a test message',
      icon: Send,
      run: () => void navigate({ to: '/c/$company/start', params }),
    },
  ]
  const retry: PaletteCommand = {
    id: 'retry all',
    label: 'Retry all waiting mail',
    icon: RotateCw,
    run: () =>
      void attempt({
        async run() {
          const { waiting } = await queries.fetchQuery({ ...backlogQuery(company), retry: false })
          const { ask, run } = retryAction(allMail, waiting, () => retryWaiting(company, null))
          await confirm({ ...ask, run })
        },
      }),
  }
  return [
    ...(mayManage && company !== ALL ? adding : []),
    ...(mayManage ? [retry] : []),
    {
      id: 'account',
      label: 'Your account',
      icon: UserRound,
      words: 'settings password passkey sessions profile',
      run: () => void navigate({ to: '/account' }),
    },
    scheme('light', 'Light colors', Sun),
    scheme('dark', 'Dark colors', Moon),
    scheme('auto', 'Colors of the system', Monitor),
    { id: 'keys', label: 'Keyboard shortcuts', icon: Keyboard, run: onHelp },
    {
      id: 'sign out',
      label: 'Sign out',
      icon: LogOut,
      words: 'log out',
      run: () => void signOut().then(() => navigate({ to: '/sign-in' })),
    },
  ]
}
