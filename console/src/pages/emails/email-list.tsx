/** The list of emails. It renders only the rows in sight, however many there are. */
import { Box, Button, Group, Loader, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp } from 'lucide-react'
import { Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useIsCapture, useMe } from '../../api/session.ts'
import { ChoiceBox } from '../../parts/choice-box.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { later } from '../../parts/later.ts'
import { useRowSelection } from '../../parts/row-selection.ts'
import { ALL, useMayManage } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { EmailRow } from './email-row.tsx'
import classes from './emails.module.css'
import type { EmailsSearch } from './search.ts'
import { rowOf, useSelectedRow } from './selected-row.ts'
import type { Emails } from './use-emails.ts'
import { useNewEmails } from './use-new-emails.ts'
import { useRowHeight } from './use-row-height.ts'

const SearchedTexts = later(() => import('./searched-texts.tsx'), 'SearchedTexts')
/** Loaded when an email is chosen. */
const EmailChoiceBar = later(() => import('./email-choice-bar.tsx'), 'EmailChoiceBar')

/** Heights of a row in pixels, as in the style sheet. */
const ROW = 44
const CARD = 92
const ARROWS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 }
/** The number of rows before the end at which the next page is loaded. */
const AHEAD = 40

interface EmailListProps {
  company: string
  name: string
  search: EmailsSearch
  list: Emails
  /** The email beside the list. */
  open: string | null
  /** Shows an email beside the list; `null`: there is no room for it. */
  onOpen: ((email: string | null) => void) | null
}

export function EmailList({ company, name, search, list, open, onOpen }: EmailListProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const isNarrow = isPhone || open !== null
  const { companies } = useMe()
  const { shown, fresh, show } = useNewEmails(list)
  const chosen = useRowSelection(shown)
  const mayManage = useMayManage()
  const captures = useIsCapture()
  const [deletes, setDeletes] = useState(false)
  const remove = (id: string) => {
    chosen.set([id])
    setDeletes(true)
  }
  const box = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heads of the columns above it come and go
  useLayoutEffect(() => setTop(box.current!.offsetTop), [isNarrow])
  const virtual = useWindowVirtualizer({
    count: shown.length,
    estimateSize: () => (isNarrow ? CARD : ROW),
    getItemKey: (index) => shown[index]!.id,
    overscan: 12,
    scrollMargin: top,
    // The height of the bar that stays above the list, in pixels.
    scrollPaddingStart: 72,
    scrollPaddingEnd: 8,
  })
  const { selected, select, move, focusAgain } = useSelectedRow(name, shown, (index) =>
    virtual.scrollToIndex(index),
  )
  const anchor = () => {
    const at = shown.findIndex(({ id }) => id === (open ?? selected))
    return at >= 0 ? at : Math.floor(Math.max(0, window.scrollY - top) / (isNarrow ? ROW : CARD))
  }
  useRowHeight(isNarrow ? CARD : ROW, virtual, anchor, focusAgain)
  const step = (by: 1 | -1) => {
    const id = move(by)
    if (open !== null && id !== null) onOpen?.(id)
  }
  const latest = useRef(onOpen)
  useEffect(() => {
    latest.current = onOpen
  })
  // One function for all rows, which are rendered only when they change.
  const openRow = useCallback((id: string) => latest.current?.(id), [])
  useShortcuts([
    { keys: 'j', does: 'Next email (older)', run: () => step(1) },
    { keys: 'k', does: 'Previous email (newer)', run: () => step(-1) },
    { keys: 'o', does: 'Open the email', run: () => selected !== null && rowOf(selected)?.click() },
    { keys: 'x', does: 'Select the email', run: () => selected !== null && chosen.toggle(selected, false) },
    {
      keys: 'X',
      does: 'Select all emails up to here',
      run: () => selected !== null && chosen.toggle(selected, true),
    },
    ...(captures && mayManage
      ? [{ keys: 'Delete', does: 'Delete the email', run: () => selected !== null && remove(selected) }]
      : []),
    { keys: 'Escape', does: 'Close the email', run: () => open !== null && onOpen?.(null) },
  ])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { more } = list
  useEffect(() => {
    if (last >= shown.length - AHEAD) more?.()
  }, [last, shown.length, more])

  return (
    <Box
      className={[classes.table, company === ALL && classes.all, isNarrow && classes.cards]
        .filter(Boolean)
        .join(' ')}
    >
      <div className={classes.news}>
        {fresh !== null && (
          <Button
            size="xs"
            radius="xl"
            leftSection={<ArrowUp size={14} aria-hidden />}
            onClick={show}
            style={{ flexShrink: 0 }}
          >
            {fresh}
          </Button>
        )}
      </div>
      <div className={classes.head} aria-hidden>
        <span className={classes.status}>Status</span>
        <span className={classes.to}>To</span>
        <span className={classes.subject}>Subject</span>
        <span className={classes.from}>From</span>
        <span className={classes.tags} />
        {company === ALL && <span className={classes.company}>Company</span>}
        <span className={classes.time}>Accepted</span>
      </div>
      <ul
        ref={box}
        aria-label="Emails"
        className={classes.list}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={(event) => {
          const by = ARROWS[event.key]
          if (by === undefined) return
          event.preventDefault()
          step(by)
        }}
      >
        {items.map(({ key, index, start }) => {
          const email = shown[index]!
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={list.more === null ? shown.length : -1}
              className={classes.item}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <div className={classes.choice}>
                <ChoiceBox
                  label={`Select ${email.subject || '(no subject)'}, to ${email.to}`}
                  checked={chosen.ids.has(email.id)}
                  onChoose={(isRange) => chosen.toggle(email.id, isRange)}
                />
              </div>
              <EmailRow
                email={email}
                company={
                  company === ALL
                    ? (companies.find(({ id }) => id === email.company)?.name ?? email.company)
                    : undefined
                }
                found={list.found.get(email.id)}
                isInbox={captures}
                selected={email.id === (open ?? selected)}
                isOpen={email.id === open}
                onSelect={select}
                onOpen={onOpen === null ? null : openRow}
              />
            </li>
          )
        })}
      </ul>
      {chosen.ids.size > 0 && (
        <Suspense>
          <EmailChoiceBar
            company={company}
            search={search}
            emails={shown}
            hasMore={list.more !== null || list.loadingMore}
            chosen={chosen}
            mayManage={mayManage}
            deletes={deletes}
            onDeletion={(isDone) => {
              setDeletes(false)
              if (isDone && open !== null && chosen.ids.has(open)) onOpen?.(null)
            }}
          />
        </Suspense>
      )}
      {list.error !== null && <ErrorAlert error={list.error} reset={list.again} />}
      {list.loadingMore && (
        <Group justify="center" p="md" gap="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            Loading older emails
          </Text>
        </Group>
      )}
      {list.texts !== null && list.more === null && !list.loadingMore && (
        <Suspense>
          <SearchedTexts company={company} search={search} texts={list.texts} />
        </Suspense>
      )}
    </Box>
  )
}
