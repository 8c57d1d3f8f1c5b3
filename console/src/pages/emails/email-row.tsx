import { Badge, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, Suspense } from 'react'
import { statusOfEmail } from '../../../../src/operate/status-word.ts'
import { later } from '../../parts/later.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import classes from './emails.module.css'
import { Mailbox } from './mailbox.tsx'
import { MatchExcerpt } from './match-excerpt.tsx'
import type { EmailListItem, EmailWords } from './merge.ts'

const InboxSubject = later(() => import('./inbox-subject.tsx'), 'InboxSubject')

interface RowProps {
  email: EmailListItem
  /** The name of the email's company, where the list shows all companies. */
  company: string | undefined
  /** Where the words of the search are, if not in the subject. */
  found: EmailWords | undefined
  /** The list is the inbox of capture mode. */
  isInbox: boolean
  selected: boolean
  /** The email is shown beside the list. */
  isOpen: boolean
  onSelect: (id: string) => void
  /** `null`: there is no room beside the list, and the link leads to the email. */
  onOpen: ((id: string) => void) | null
}

/** One row of the list. The whole row links to the email. */
export const EmailRow = memo(function EmailRow({
  email,
  company,
  found,
  isInbox,
  selected,
  isOpen,
  onSelect,
  onOpen,
}: RowProps) {
  const { id, subject, from, to, recipients, tags, tagCount, createdAt } = email
  // A tag that can be read is worth more than the beginnings of two.
  const [tag] = tags
  const { of, note } = statusOfEmail(email)
  const words = <UntrustedText empty="(no subject)">{subject}</UntrustedText>
  return (
    <Link
      to="/c/$company/emails/$id"
      params={{ company: email.company, id }}
      className={classes.row}
      data-email={id}
      data-found={found !== undefined || undefined}
      data-selected={selected || undefined}
      aria-current={selected || undefined}
      onFocus={() => onSelect(id)}
      onClick={(event) => {
        const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        // Enter, or a second click, leads from the email beside the list to its page.
        const isAgain = isOpen && event.detail !== 1
        if (onOpen === null || !isPlain || isAgain) return
        event.preventDefault()
        // Not every browser gives a clicked link the focus, from which the arrow keys go on.
        event.currentTarget.focus({ preventScroll: true })
        onOpen(id)
      }}
    >
      <span className={classes.status}>
        <Status of={of} note={note} />
      </span>
      <span className={classes.to}>
        <Mailbox>{to}</Mailbox>
        {recipients > 1 && (
          <Text component="span" inherit c="dimmed" title={`${recipients} recipients`}>
            {`+${recipients - 1}`}
          </Text>
        )}
      </span>
      <span className={classes.subject}>
        {isInbox ? (
          <Suspense fallback={words}>
            <InboxSubject email={email} hasExcerpt={found !== undefined}>
              {words}
            </InboxSubject>
          </Suspense>
        ) : (
          words
        )}
      </span>
      {found !== undefined && <MatchExcerpt found={found} />}
      <Text component="span" inherit c="dimmed" className={classes.from} title={visible(from)}>
        <Mailbox>{from}</Mailbox>
      </Text>
      <span className={classes.tags}>
        {tag !== undefined && (
          <Badge component="span" size="sm" variant="default" fw={500}>
            <UntrustedText>{tag}</UntrustedText>
          </Badge>
        )}
        {tagCount > 1 && (
          <Text component="span" size="xs" c="dimmed">
            +{tagCount - 1}
          </Text>
        )}
      </span>
      {company !== undefined && (
        <Text component="span" inherit c="dimmed" className={classes.company}>
          <UntrustedText>{company}</UntrustedText>
        </Text>
      )}
      <Text component="span" inherit c="dimmed" className={classes.time}>
        <Time at={createdAt} />
      </Text>
    </Link>
  )
})
