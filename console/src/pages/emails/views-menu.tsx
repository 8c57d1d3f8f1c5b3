/** Saved searches: opens them, saves the present one, and removes them. */
import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Bookmark, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { IconButton } from '../../parts/icon-button.tsx'
import { MenuPopover } from '../../parts/menu-popover.tsx'
import classes from './emails.module.css'
import { removeView, saveView, useSavedViews } from './saved-views.ts'
import { type EmailsSearch, isNarrowed } from './search.ts'

export interface ResultsBarProps {
  company: string
  search: EmailsSearch
  onChange: (search: EmailsSearch) => void
}

export function ViewsMenu({ company, search }: ResultsBarProps) {
  const [opened, setOpened] = useState(false)
  const views = useSavedViews(company)
  const narrowed = isNarrowed(search)
  const now = JSON.stringify(search)
  if (!narrowed && views.length === 0) return null
  return (
    <MenuPopover width={300} opened={opened} onChange={setOpened}>
      <Popover.Target>
        <Button
          variant="default"
          size="sm"
          px="sm"
          leftSection={<Bookmark size={14} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Views">
        <Stack gap="xs">
          {views.map((view) => (
            <Group key={view.name} gap="xs" justify="space-between" wrap="nowrap">
              <Link
                to="/c/$company/emails"
                params={{ company }}
                search={view.search}
                className={classes.view}
                aria-current={JSON.stringify(view.search) === now || undefined}
                onClick={() => setOpened(false)}
              >
                {view.name}
              </Link>
              <IconButton
                icon={X}
                label="Remove"
                name={`Remove the view ${view.name}`}
                onClick={() => removeView(company, view.name)}
              />
            </Group>
          ))}
          {narrowed && <SaveView company={company} search={search} onSaved={() => setOpened(false)} />}
          <Text size="xs" c="dimmed">
            Views are kept in this browser. To share one, send its address.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </MenuPopover>
  )
}

function SaveView({
  company,
  search,
  onSaved,
}: Pick<ResultsBarProps, 'company' | 'search'> & { onSaved: () => void }) {
  const [name, setName] = useState('')
  const [full, setFull] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    if (saveView(company, { name: name.trim(), search })) onSaved()
    else setFull(true)
  }
  return (
    <form onSubmit={save}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label="Name of the view"
          placeholder="Name of this search"
          maxLength={60}
          value={name}
          error={full && 'There are 50 views already. Remove one first.'}
          data-autofocus
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="light" disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  )
}
