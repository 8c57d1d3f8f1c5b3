/** The list of emails. It renders only the rows in sight, however many there are. */
import { Box, Button, Group, Loader, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useMe } from '../../api/session.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ALL } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { EmailRow } from './email-row.tsx'
import classes from './emails.module.css'
import { rowOf, useSelected } from './selected.ts'
import type { Emails } from './use-emails.ts'
import { useNewEmails } from './use-new-emails.ts'

/** Heights of a row in pixels, as in the style sheet. */
const ROW = 44
const CARD = 92
/** The number of rows before the end at which the next page is loaded. */
const AHEAD = 40

export function EmailList({ company, name, list }: { company: string; name: string; list: Emails }) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const { companies } = useMe()
  const { shown, fresh, show } = useNewEmails(list)
  const box = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(box.current!.offsetTop), [])
  const virtual = useWindowVirtualizer({
    count: shown.length,
    estimateSize: () => (isNarrow ? CARD : ROW),
    getItemKey: (index) => shown[index]!.id,
    overscan: 12,
    scrollMargin: top,
    // The height of the bar that stays above the list, in pixels.
    scrollPaddingStart: 72,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of a row depends on isNarrow
  useEffect(() => virtual.measure(), [isNarrow])

  const { selected, select, move } = useSelected(name, shown, (index) => virtual.scrollToIndex(index))
  useShortcuts([
    { keys: 'j', does: 'Next email (older)', run: () => move(1) },
    { keys: 'k', does: 'Previous email (newer)', run: () => move(-1) },
    { keys: 'o', does: 'Open the email', run: () => selected !== null && rowOf(selected)?.click() },
  ])

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { more } = list
  useEffect(() => {
    if (last >= shown.length - AHEAD) more?.()
  }, [last, shown.length, more])

  return (
    <Box className={company === ALL ? `${classes.table} ${classes.all}` : classes.table}>
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
      <ul ref={box} aria-label="Emails" className={classes.list} style={{ height: virtual.getTotalSize() }}>
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
              <EmailRow
                email={email}
                company={
                  company === ALL
                    ? (companies.find(({ id }) => id === email.company)?.name ?? email.company)
                    : undefined
                }
                selected={email.id === selected}
                onSelect={select}
              />
            </li>
          )
        })}
      </ul>
      {list.error !== null && <ErrorAlert error={list.error} reset={list.again} />}
      {list.loadingMore && (
        <Group justify="center" p="md" gap="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            Loading older emails
          </Text>
        </Group>
      )}
    </Box>
  )
}
