import { Tabs } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './page-tabs.module.css'

interface PageTab<Name> {
  /** Absent for the tab that is shown first. */
  name?: Name
  label: string
  icon?: LucideIcon
  content: ReactNode
}

/** Stands for the first tab, which has no name in the address. */
const FIRST = 'first'

/** The tabs of a page. A tab that is `false` is left out. */
export function PageTabs<Name extends string>({
  tabs,
  shown,
  onShow,
}: {
  tabs: readonly (PageTab<Name> | false)[]
  shown?: Name | undefined
  onShow: (name: Name | undefined) => void
}) {
  const offered = tabs.filter((tab) => tab !== false)
  return (
    <Tabs
      value={shown ?? FIRST}
      keepMounted={false}
      onChange={(name) => onShow(name === FIRST ? undefined : (name as Name))}
    >
      <Tabs.List mb="md" className={classes.list}>
        {offered.map(({ name = FIRST, label, icon: Icon }) => (
          <Tabs.Tab key={name} value={name} leftSection={Icon && <Icon size={16} aria-hidden />}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {offered.map(({ name = FIRST, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
