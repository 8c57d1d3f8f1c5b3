/** The subject of a captured email in the list: bold until it is read, with the beginning of its text. */
import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import classes from './inbox.module.css'
import type { EmailListItem } from './merge.ts'
import { useIsRead } from './read-marks.ts'
import { snippetQuery } from './snippets.ts'

interface InboxSubjectProps {
  email: EmailListItem
  /** The row shows the words that were found in place of the beginning of the text. */
  hasExcerpt: boolean
  children: ReactNode
}

export function InboxSubject({ email, hasExcerpt, children }: InboxSubjectProps) {
  const isRead = useIsRead(email)
  const { data: snippet } = useQuery(snippetQuery(email))
  return (
    <span className={classes.line}>
      {!isRead && <VisuallyHidden>Unread</VisuallyHidden>}
      {snippet?.attached && (
        <>
          <Paperclip size={14} aria-hidden className={classes.attached} />
          <VisuallyHidden>With attachments</VisuallyHidden>
        </>
      )}
      <span className={isRead ? classes.read : classes.unread}>{children}</span>
      {!hasExcerpt && snippet && snippet.text !== '' && (
        <span className={classes.snippet}>
          <UntrustedText>{snippet.text}</UntrustedText>
        </span>
      )}
    </span>
  )
}
