import { Avatar, Menu, NavLink, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { signOut, useMe } from '../api/session.ts'
import { visible } from '../parts/untrusted-text.tsx'

const SCHEMES = [
  { scheme: 'light', label: 'Light', icon: Sun },
  { scheme: 'dark', label: 'Dark', icon: Moon },
  { scheme: 'auto', label: 'System', icon: Monitor },
] as const

export function PersonMenu() {
  const { person } = useMe()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const navigate = useNavigate()
  const name = visible(person.name || person.address || 'Operator')
  return (
    <Menu position="top-start" width={216} withinPortal>
      <Menu.Target>
        <NavLink
          component="button"
          type="button"
          label={name}
          description={person.operator ? 'Operator' : undefined}
          leftSection={<Avatar size={28} radius="xl" name={name} color="road" alt="" />}
        />
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
