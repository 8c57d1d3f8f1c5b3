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

export function InboxSubject({ email, children }: { email: EmailListItem; children: ReactNode }) {
  const isRead = useIsRead(email)
  const { data: snippet } = useQuery(snippetQuery(email))
  return (
    <>
      {!isRead && <VisuallyHidden>Unread</VisuallyHidden>}
      {snippet?.attached && (
        <>
          <Paperclip size={14} aria-hidden className={classes.attached} />
          <VisuallyHidden>With attachments</VisuallyHidden>
        </>
      )}
      <span className={isRead ? classes.read : classes.unread}>{children}</span>
      {snippet && snippet.text !== '' && (
        <span className={classes.snippet}>
          <UntrustedText>{snippet.text}</UntrustedText>
        </span>
      )}
    </>
  )
}
