/** What narrows the list: a search as it is typed, and menus for what is asked most. */
import { Box, Button, CloseButton, Group, Kbd, Paper, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../shell/shortcuts.ts'
import classes from './emails.module.css'
import { type EmailsSearch, isNarrowed } from './search.ts'
import { StatusMenu } from './status-menu.tsx'
import { TextMenu } from './text-menu.tsx'
import { TimeMenu } from './time-menu.tsx'

const EXAMPLES = [
  ['invoice', 'a word of the subject'],
  ['ann@example.com', 'what went to an address'],
  ['event:bounced', 'what became of it'],
  ['tag:welcome', 'also name:value'],
  ['from:shop@', 'a part of the sender'],
  ['after:7d before:2026-01-31', 'when it was accepted'],
] as const

/** Ms after the last key in which the search begins. */
const TYPED_MS = 300

export interface FiltersProps {
  search: EmailsSearch
  /** `replace`: as one step of the history with what was there before. */
  onChange: (search: EmailsSearch, replace?: boolean) => void
}

export function Filters({ search, onChange }: FiltersProps) {
  const change = (part: Partial<Record<keyof EmailsSearch, string | undefined>>) =>
    onChange(given({ ...search, ...part }))
  return (
    <Box className={classes.bar} component="search">
      <Group gap="xs">
        <SearchField search={search} onChange={onChange} />
        <div className={classes.menus}>
          <StatusMenu value={search.status} onChange={(status) => change({ status })} />
          <TimeMenu search={search} onChange={change} />
          <TextMenu
            label="Domain"
            value={search.domain}
            about="A sending domain, whole: example.com"
            onChange={(domain) => change({ domain })}
          />
          <TextMenu
            label="Tag"
            value={search.tag}
            about="A tag, as name or name:value"
            onChange={(tag) => change({ tag })}
          />
          <TextMenu
            label="Key"
            value={search.key}
            about="The API key it was sent with: its name or id"
            onChange={(key) => change({ key })}
          />
          {isNarrowed(search) && (
            <Button variant="subtle" size="sm" px="xs" onClick={() => onChange({})}>
              Clear
            </Button>
          )}
        </div>
      </Group>
    </Box>
  )
}

function given(search: Partial<Record<keyof EmailsSearch, string | undefined>>): EmailsSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
}

function SearchField({ search, onChange }: FiltersProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.q ?? '')
  const [focused, setFocused] = useState(false)
  const told = useRef(search.q ?? '')
  // Another one by going back, or from elsewhere.
  useEffect(() => {
    const now = search.q ?? ''
    if (now === told.current) return
    told.current = now
    setText(now)
  }, [search.q])
  const tell = (typed: string) => {
    if (typed.trim() === told.current) return
    const isAnother = told.current === '' || typed.trim() === ''
    told.current = typed.trim()
    onChange(given({ ...search, q: typed.trim() }), !isAnother)
  }
  const tellSoon = useDebouncedCallback(tell, TYPED_MS)
  useShortcuts([{ keys: '/', does: 'Search', run: () => field.current?.select() }])
  return (
    <Box flex={1} miw={240} pos="relative">
      <TextInput
        ref={field}
        type="search"
        aria-label="Search emails"
        aria-describedby="emails-search-hint"
        placeholder="Search: address, word of a subject, to: tag: event: …"
        value={text}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={
          text !== '' ? (
            <CloseButton
              size="sm"
              aria-label="Clear the search field"
              onClick={() => {
                setText('')
                tell('')
              }}
            />
          ) : (
            !focused && (
              <Kbd size="xs" visibleFrom="sm">
                /
              </Kbd>
            )
          )
        }
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          tellSoon(value)
        }}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') tell(text)
          if (key === 'Escape') field.current?.blur()
        }}
      />
      {/* Above what follows: nothing moves when it comes or goes, while somebody aims at a button. */}
      <Paper
        id="emails-search-hint"
        className={classes.hint}
        hidden={!focused}
        withBorder
        shadow="md"
        p="xs"
        fz="xs"
        c="dimmed"
      >
        {EXAMPLES.map(([example, about]) => (
          <p key={example}>
            <code>{example}</code> {about}
          </p>
        ))}
      </Paper>
    </Box>
  )
}
