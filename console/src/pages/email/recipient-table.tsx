/**
 * The recipients of an email, failures first. Only the rows in sight are rendered; each opens to its history. The counts
 * by state filter the rows. People who may change the email choose rows.
 */
import { Badge, Button, Group, Text, UnstyledButton } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, Suspense, useId, useMemo, useRef, useState } from 'react'
import { replyIn, replyText } from '../../../../src/operate/reply-text.ts'
import { recipientGroups, recipientSentence } from '../../../../src/operate/status-sentence.ts'
import { statusOfRecipient } from '../../../../src/operate/status-word.ts'
import { countOf, type EmailDetail, emailQuery, RECIPIENTS_AT_ONCE } from '../../api/email.ts'
import { Category } from '../../parts/category.tsx'
import { ChoiceBox } from '../../parts/choice-box.tsx'
import { Clock } from '../../parts/clock-time.tsx'
import { useIsDue } from '../../parts/due-time.tsx'
import { later } from '../../parts/later.ts'
import { type RowSelection, useRowSelection } from '../../parts/row-selection.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Status } from '../../parts/status.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { useMayManage } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import classes from './email.module.css'
import { Sentence } from './pieces.tsx'
import { RecipientHistory } from './recipient-history.tsx'
import { filterWord, matching, type RecipientLine, type RowFilter, rowsOf } from './recipient-rows.ts'
import { ReplyNote } from './reply-note.tsx'

/** Loaded when a recipient is chosen. */
const RecipientChoiceBar = later(() => import('./recipient-choice-bar.tsx'), 'RecipientChoiceBar')

/** Pixels. */
const ROW = 34
/** A search is of use from this many recipients on. */
const SEARCHED_FROM = 10
/** The most answers of the server that are read without a click. */
const MAX_PAGES = 10

const KINDS = { to: 'To', cc: 'Cc', bcc: 'Bcc' } as const

interface RecipientTableProps {
  company: string
  email: EmailDetail
  total: number
}

export function RecipientTable({ company, email, total }: RecipientTableProps) {
  const [filter, setFilter] = useState<RowFilter>({ status: null, search: '' })
  const [most, setMost] = useState(MAX_PAGES)
  const { rows: all, isLoading } = useRecipientRows(company, email, most)
  const rows = matching(all, filter)
  const chosen = useRowSelection(rows)
  const mayManage = useMayManage()
  const counts = recipientGroups(
    email.states,
    all.map(({ recipient }) => recipient),
  )
  const left = total - all.length
  /** Rows that are out of sight are not chosen. */
  const show = (change: Partial<RowFilter>) => {
    setFilter({ ...filter, ...change })
    chosen.set([])
  }
  return (
    <>
      <Group gap={6}>
        {counts.length > 1 && (
          <Group gap={4} role="group" aria-label="Recipients by status">
            <StateButton
              label="All"
              count={total}
              isChosen={filter.status === null}
              onClick={() => show({ status: null })}
            />
            {counts.map((each) => (
              <StateButton
                key={each.of}
                label={filterWord(each.of)}
                count={each.count}
                isChosen={filter.status === each.of}
                onClick={() => show({ status: filter.status === each.of ? null : each.of })}
              />
            ))}
          </Group>
        )}
        {total >= SEARCHED_FROM && (
          <SearchField
            label="Search recipients"
            placeholder="Address or reply"
            mb={0}
            value={undefined}
            search={(text = '') => text !== filter.search && show({ search: text })}
          />
        )}
      </Group>
      <Rows
        key={`${filter.status} ${filter.search}`}
        company={company}
        rows={rows}
        chosen={mayManage ? chosen : null}
      />
      {rows.length === 0 && !isLoading && (
        <Text size="sm" c="dimmed" role="status">
          No matches
        </Text>
      )}
      {left > 0 && !isLoading && (
        <Button size="xs" variant="default" onClick={() => setMost(most + MAX_PAGES)}>
          Load {Math.min(left, MAX_PAGES * RECIPIENTS_AT_ONCE).toLocaleString()} more
        </Button>
      )}
      {chosen.ids.size > 0 && (
        <Suspense>
          <RecipientChoiceBar
            company={company}
            email={email}
            filter={filter}
            rows={rows}
            hasMore={left > 0}
            chosen={chosen}
          />
        </Suspense>
      )}
    </>
  )
}

/** The first recipients come with the email, the others in further answers. */
function useRecipientRows(company: string, email: EmailDetail, most: number) {
  const pages = Math.min(Math.ceil(countOf(email) / RECIPIENTS_AT_ONCE), most)
  const others = useQueries({
    queries: Array.from({ length: pages - 1 }, (_, index) =>
      emailQuery(company, email.id, (index + 1) * RECIPIENTS_AT_ONCE),
    ),
    combine: (results) => ({
      data: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
      isLoading: results.some((result) => result.isPending),
    }),
  })
  const rows = useMemo(() => rowsOf([email, ...others.data]), [email, others.data])
  return { rows, isLoading: others.isLoading }
}

function StateButton({
  label,
  count,
  isChosen,
  onClick,
}: {
  label: string
  count: number
  isChosen: boolean
  onClick: () => void
}) {
  return (
    <Button
      size="compact-sm"
      variant={isChosen ? 'light' : 'default'}
      aria-pressed={isChosen}
      onClick={onClick}
    >
      {label} {count.toLocaleString()}
    </Button>
  )
}

interface RowsProps {
  company: string
  rows: readonly RecipientLine[]
  /** Null: the person may choose none. */
  chosen: RowSelection | null
}

function Rows({ company, rows, chosen }: RowsProps) {
  const box = useRef<HTMLDivElement>(null)
  /** The row that has the focus. */
  const [focused, setFocused] = useState<string | null>(null)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]!.recipient.position,
    overscan: 8,
  })
  const toggle = (position: number) => {
    const next = new Set(opened)
    if (!next.delete(position)) next.add(position)
    setOpened(next)
  }
  const items = virtual.getVirtualItems()
  return (
    <div ref={box} className={classes.recipients}>
      <ul
        aria-label="Recipients"
        className={classes.recipientList}
        style={{ height: virtual.getTotalSize() }}
        onBlur={() => setFocused(null)}
        onKeyDown={moveFocus}
      >
        {items.map(({ key, index, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={rows.length}
            style={{ transform: `translateY(${start}px)` }}
            onFocus={() => setFocused(rows[index]!.id)}
          >
            <Row
              company={company}
              row={rows[index]!}
              isOpen={opened.has(rows[index]!.recipient.position)}
              onToggle={toggle}
              chosen={chosen}
            />
          </li>
        ))}
      </ul>
      {chosen !== null && focused !== null && <ChoiceKeys chosen={chosen} row={focused} />}
    </div>
  )
}

/** While a row has the focus, its keys are those of the list of emails. */
function ChoiceKeys({ chosen, row }: { chosen: RowSelection; row: string }) {
  useShortcuts([
    { keys: 'x', does: 'Select the recipient', run: () => chosen.toggle(row, false) },
    { keys: 'X', does: 'Select all recipients up to here', run: () => chosen.toggle(row, true) },
  ])
  return null
}

const ARROWS: Readonly<Record<string, 'nextElementSibling' | 'previousElementSibling'>> = {
  ArrowDown: 'nextElementSibling',
  ArrowUp: 'previousElementSibling',
}

/** The arrow keys lead from row to row, unless the focus is in what a row has opened. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const sibling = ARROWS[event.key]
  const row = (event.target as HTMLElement).closest(`.${classes.recipientHead}`)
  if (sibling === undefined || row === null) return
  event.preventDefault()
  row.closest('li')?.[sibling]?.querySelector<HTMLElement>(`button.${classes.recipient}`)?.focus()
}

/** The row has room for the time of day alone. */
function NextTry({ at }: { at: string }) {
  return useIsDue(at) ? (
    <span>next try due</span>
  ) : (
    <span>
      next try <Clock at={at} />
    </span>
  )
}

function Row({
  company,
  row: { id, recipient, email },
  isOpen,
  onToggle,
  chosen,
}: {
  company: string
  row: RecipientLine
  isOpen: boolean
  onToggle: (position: number) => void
  chosen: RowSelection | null
}) {
  const body = useId()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const { kind, address, position, state, category, waits, at } = recipient
  const status = statusOfRecipient(recipient, email.mostAttempts)
  const lastReply = replyText(recipient)
  return (
    <>
      <div className={classes.recipientHead}>
        {chosen !== null && (
          <ChoiceBox
            label={`Select ${visible(address)}`}
            checked={chosen.ids.has(id)}
            onChoose={(isRange) => chosen.toggle(id, isRange)}
          />
        )}
        <UnstyledButton
          className={classes.recipient}
          onClick={() => onToggle(position)}
          aria-expanded={isOpen}
          aria-controls={body}
        >
          <Chevron size={16} aria-hidden />
          <span className={classes.recipientStatus}>
            <Status of={status.of} note={<span className={classes.wideNote}>{status.note}</span>} />
          </span>
          <Text component="span" size="sm" className={classes.recipientAddress}>
            {kind !== 'to' && (
              <Badge component="span" size="xs" variant="default" mr={4}>
                {KINDS[kind]}
              </Badge>
            )}
            <UntrustedText>{address}</UntrustedText>
          </Text>
          <Text component="span" size="sm" c="dimmed" className={classes.recipientReply}>
            <span className={classes.recipientWait}>
              {category !== null && state !== 'delivered' && <Category of={category} />}
              {status.note !== undefined && <span className={classes.recipientNote}>{status.note}</span>}
              {waits !== null && at !== null && <NextTry at={at} />}
            </span>
            <UntrustedText>{replyIn(lastReply) ?? lastReply}</UntrustedText>
          </Text>
        </UnstyledButton>
      </div>
      <div id={body} hidden={!isOpen} className={classes.recipientBody}>
        {isOpen && (
          <>
            <Text size="sm" component="div">
              <Sentence of={recipientSentence(recipient, email)} />
            </Text>
            <ReplyNote recipient={recipient} />
            <RecipientHistory company={company} email={email} recipient={recipient} />
          </>
        )}
      </div>
    </>
  )
}
