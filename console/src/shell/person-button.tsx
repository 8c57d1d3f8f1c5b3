/** The button of the person's menu. */
import { Avatar, NavLink, type NavLinkProps } from '@mantine/core'
import type { Ref } from 'react'
import { useMe } from '../api/session.ts'
import { visible } from '../parts/untrusted-text.tsx'

interface PersonButtonProps extends NavLinkProps {
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
}

const OPERATOR = 'Operator'

/** The menu gives its target further properties. */
export function PersonButton(props: PersonButtonProps) {
  const { person } = useMe()
  const name = visible(person.name || person.address || OPERATOR)
  return (
    <NavLink
      component="button"
      type="button"
      aria-haspopup="menu"
      label={name}
      description={person.operator && name !== OPERATOR ? OPERATOR : undefined}
      leftSection={<Avatar size={28} radius="xl" name={name} color="road" alt="" />}
      {...props}
    />
  )
}
