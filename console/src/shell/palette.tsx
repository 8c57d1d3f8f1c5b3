/** The command palette: finds pages, companies and actions by name, and emails by id or search. */
import { Combobox, Modal, TextInput, useCombobox, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Keyboard, type LucideIcon, Mail, Search, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useMe } from '../api/session.ts'
import { visible } from '../parts/untrusted-text.tsx'
import { useCompany } from './company.ts'
import { useNavItems } from './nav-items.ts'

interface PaletteCommand {
  id: string
  label: string
  icon: LucideIcon
  run: () => void
}

const EMAIL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState('')
  const commands = useCommands(text.trim(), onHelp)
  const combobox = useCombobox({ opened: true })
  const { selectFirstOption } = combobox
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of results changes with the text
  useEffect(() => {
    selectFirstOption()
  }, [text, selectFirstOption])
  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding={0} size="lg" yOffset="12vh" title={null}>
      <Combobox
        store={combobox}
        withinPortal={false}
        onOptionSubmit={(id) => {
          onClose()
          commands.find((command) => command.id === id)?.run()
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            placeholder="Go to a page, company or email"
            aria-label="Go to a page, company or email"
            leftSection={<Search size={18} aria-hidden />}
            size="md"
            variant="unstyled"
            data-autofocus
          />
        </Combobox.EventsTarget>
        <Combobox.Options mah={360} p={6} aria-label="Results">
          {commands.map(({ id, label, icon: Icon }) => (
            <Combobox.Option key={id} value={id}>
              <Icon size={16} aria-hidden /> {label}
            </Combobox.Option>
          ))}
          {commands.length === 0 && <Combobox.Empty>No results</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
      <VisuallyHidden role="status">
        {commands.length} {commands.length === 1 ? 'result' : 'results'}
      </VisuallyHidden>
    </Modal>
  )
}

function useCommands(text: string, onHelp: () => void): PaletteCommand[] {
  const navigate = useNavigate()
  const company = useCompany()
  const { companies } = useMe()
  const go = (to: string) => () => void navigate({ to })
  const pages = useNavItems().map(({ to, label, icon }) => ({
    id: to,
    label,
    icon,
    run: go(to.replace('$company', company)),
  }))
  const others = companies
    .filter(({ id }) => id !== company)
    .map(({ id, name }) => ({
      id,
      label: `Company ${visible(name)}`,
      icon: Mail,
      run: go(`/c/${id}/emails`),
    }))
  const fixed = [
    { id: 'account', label: 'Your account', icon: UserRound, run: go('/account') },
    { id: 'keys', label: 'Keyboard shortcuts', icon: Keyboard, run: onHelp },
  ]
  const wanted = text.toLowerCase()
  const named = [...pages, ...fixed, ...others].filter(({ label }) => label.toLowerCase().includes(wanted))
  if (text === '') return named.slice(0, 30)
  const email = EMAIL_ID.test(text)
    ? { id: 'email', label: `Email ${text}`, icon: Mail, run: go(`/c/${company}/emails/${text}`) }
    : {
        id: 'search',
        label: `Search emails for "${text}"`,
        icon: Search,
        run: () => void navigate({ to: `/c/${company}/emails`, search: { q: text } as never }),
      }
  return [...named.slice(0, 30), email]
}
