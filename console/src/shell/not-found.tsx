/** Shown in place of a page or an object that does not exist, with links to the list of such objects and the overview. */
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { invalidate } from '../api/queries.ts'
import { useMe } from '../api/session.ts'
import { UntrustedText, visible } from '../parts/untrusted-text.tsx'
import { useCompany } from './company.ts'
import { useNavItems } from './nav-items.ts'

/** Characters of an address or ID that are shown. */
const MAX_SHOWN = 120

/** The list of each kind of object that has a page of its own. */
const LISTS = { email: 'emails', domain: 'domains', webhook: 'webhooks' } as const

export function ObjectNotFound({ kind, id }: { kind: keyof typeof LISTS; id: string }) {
  const name = useCompanyName()
  return (
    <NotFound what={kind} list={LISTS[kind]}>
      There is no {kind} <Shown text={id} />
      {name !== undefined && (
        <>
          {' '}
          in <UntrustedText>{name}</UntrustedText>
        </>
      )}
      . It may have been removed, or belong to another company.
    </NotFound>
  )
}

export function CompanyNotFound({ id }: { id: string }) {
  const { operator } = useMe().person
  // The person may have joined it since the session was last read.
  useEffect(() => void invalidate('GET /session'), [])
  return (
    <NotFound what="company">
      {operator ? 'There is' : 'You belong to'} no company <Shown text={id} />.
      {!operator && ' It may have been removed, or you may have left it.'}
    </NotFound>
  )
}

export function PageNotFound() {
  const { pathname } = useLocation()
  // Such as /c/COMPANY/keys/..., below the list of API keys.
  const list = /^\/c\/[^/]+\/([^/]+)/.exec(pathname)?.[1]
  return (
    <NotFound what="page" list={list}>
      There is no page at <Shown text={pathname} />. The address may be mistyped, or the page may have been
      removed.
    </NotFound>
  )
}

function NotFound({
  what,
  list,
  children,
}: {
  what: string
  /** The last part of the address of its list. */
  list?: string | undefined
  children: ReactNode
}) {
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)} not found`
  useEffect(() => {
    document.title = `${title} - Postroad`
  }, [title])
  const company = useCompany()
  const wanted = [`/c/$company/${list}`, '/c/$company/overview']
  const all = useNavItems()
  const items = all.filter(({ to }) => wanted.includes(to)).toSorted(byPlaceIn(wanted))
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text c="dimmed" maw={560} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
      <Group justify="center" gap="sm" mt="xs">
        {company === '' ? (
          <Button component={Link} to="/account">
            Your account
          </Button>
        ) : (
          items.map(({ to, label }, index) => (
            <Button
              key={to}
              component={Link}
              to={to.replace('$company', company)}
              variant={index === 0 ? 'filled' : 'default'}
            >
              {label}
            </Button>
          ))
        )}
      </Group>
    </Stack>
  )
}

/** Compares by the order of `addresses`. */
function byPlaceIn(addresses: readonly string[]) {
  return (a: { to: string }, b: { to: string }) => addresses.indexOf(a.to) - addresses.indexOf(b.to)
}

function Shown({ text }: { text: string }) {
  return <Code>{visible(text, MAX_SHOWN)}</Code>
}

/** Undefined: all companies are shown. */
function useCompanyName(): string | undefined {
  const company = useCompany()
  return useMe().companies.find(({ id }) => id === company)?.name
}
