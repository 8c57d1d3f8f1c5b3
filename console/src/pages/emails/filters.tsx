/** The filters of the list: a search field, and menus for the most common filters. */
import { Box, Group } from '@mantine/core'
import { Suspense } from 'react'
import { later } from '../../parts/later.ts'
import { ChoiceMenu } from './choice-menu.tsx'
import classes from './emails.module.css'
import { type EmailsSearch, withoutEmptyFilters } from './search.ts'
import { SearchField } from './search-field.tsx'
import { StatusMenu } from './status-menu.tsx'
import { TimeMenu } from './time-menu.tsx'

/** Loaded separately because the first view does without them. */
const ResultsBar = later(() => import('./results-bar.tsx'), 'ResultsBar')
const ExplainLink = later(() => import('./explain-link.tsx'), 'ExplainLink')

const CHOICES = [
  { kind: 'domain', label: 'Domain', about: 'Part of the name' },
  { kind: 'to', label: 'Recipient', about: 'Domain, such as example.com', free: true },
  { kind: 'tag', label: 'Tag', about: 'Name, value or name:value', free: true },
  { kind: 'key', label: 'Key', about: 'Part of the name' },
] as const

interface FiltersProps {
  company: string
  search: EmailsSearch
  /** `replace`: replaces the current entry of the browser's history. */
  onChange: (search: EmailsSearch, replace?: boolean) => void
}

export function Filters({ company, search, onChange }: FiltersProps) {
  const change = (part: Partial<Record<keyof EmailsSearch, string | undefined>>) =>
    onChange(withoutEmptyFilters({ ...search, ...part }))
  return (
    <Box className={classes.bar}>
      <Group gap="xs" align="flex-start">
        <SearchField company={company} search={search} onChange={onChange} />
        <div className={classes.menus}>
          <StatusMenu value={search.status} onChange={(status) => change({ status })} />
          <TimeMenu search={search} onChange={change} />
          {CHOICES.map(({ kind, ...choice }) => (
            <ChoiceMenu
              key={kind}
              company={company}
              kind={kind}
              {...choice}
              value={search[kind]}
              onChange={(value) => change({ [kind]: value })}
            />
          ))}
          <Suspense>
            <ResultsBar company={company} search={search} onChange={onChange} />
          </Suspense>
        </div>
        <Suspense>
          <ExplainLink company={company} search={search} />
        </Suspense>
      </Group>
    </Box>
  )
}
