/** The menu of the signed-in person, loaded separately because the first view does without it. */
import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { signOut } from '../api/session.ts'
import { PersonButton } from './person-button.tsx'

const SCHEMES = [
  { scheme: 'light', label: 'Light', icon: Sun },
  { scheme: 'dark', label: 'Dark', icon: Moon },
  { scheme: 'auto', label: 'System', icon: Monitor },
] as const

export function PersonMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const navigate = useNavigate()
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  // Opens after the button has the focus, to which the menu returns it.
  useEffect(() => {
    button.current?.focus()
    setOpened(true)
  }, [])
  return (
    <Menu position="top-start" width={216} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <PersonButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<UserRound size={16} aria-hidden />}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(({ scheme, label, icon: Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} aria-hidden />}
            aria-current={scheme === colorScheme}
            fw={scheme === colorScheme ? 650 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden />}
          onClick={async () => {
            await signOut()
            await navigate({ to: '/sign-in' })
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
