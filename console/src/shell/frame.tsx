/** The frame of every page: the navigation, the choice of company, and the person's menu. */
import { AppShell, Burger, Group, ScrollArea, Skeleton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { sessionQuery } from '../api/session.ts'
import { Brand } from './brand.tsx'
import { Commands } from './commands.tsx'
import { CompanyChoice } from './company-choice.tsx'
import classes from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { PageFocus } from './page-focus.tsx'
import { Person } from './person.tsx'

/** Milliseconds after which every page notices that the service is away. */
const CHECK_EVERY = 20_000

export function Frame() {
  useQuery({ ...sessionQuery, refetchInterval: CHECK_EVERY })
  const [opened, { toggle, close }] = useDisclosure()
  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="sm" justify="space-between">
          <Brand />
          <Burger
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? 'Close the menu' : 'Open the menu'}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <AppShell.Section visibleFrom="sm" pb="sm" pl={6}>
          <Brand />
        </AppShell.Section>
        <AppShell.Section pb="sm">
          <CompanyChoice />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea}>
          <Navigation onGo={close} />
        </AppShell.Section>
        <AppShell.Section pt="sm">
          <Person />
        </AppShell.Section>
      </AppShell.Navbar>
      <Commands />
      <PageFocus />
      <AppShell.Main id="main" tabIndex={-1}>
        <Suspense fallback={<Skeleton h={240} />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  )
}
