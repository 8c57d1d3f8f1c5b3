import { NavLink } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useCompany } from './company.ts'
import { useNavItems } from './nav-items.ts'

/** `onGo`: closes the menu on a phone, where it covers the page. */
export function Navigation({ onGo }: { onGo: () => void }) {
  const company = useCompany()
  const { pathname } = useLocation()
  return (
    <nav aria-label="Pages">
      {useNavItems().map(({ to, label, icon: Icon }) => {
        const path = to.replace('$company', company)
        return (
          <NavLink
            key={to}
            component={Link}
            to={path}
            onClick={onGo}
            label={label}
            leftSection={<Icon size={18} strokeWidth={1.75} aria-hidden />}
            active={pathname === path || pathname.startsWith(`${path}/`)}
            aria-current={pathname === path ? 'page' : undefined}
            variant="light"
            bdrs="md"
            fw={500}
          />
        )
      })}
    </nav>
  )
}
