import { Alert, Box } from '@mantine/core'
import { Link2 } from 'lucide-react'
import { CodeBlock } from '../../parts/code.tsx'
import { Time } from '../../parts/time.tsx'

/** A link to share with another person. It is shown until the page is left, and never again. */
export function OneTimeLink({
  link,
  expiresAt,
  title,
  mailed = false,
  nextMailAt = null,
  onClose,
}: {
  link: string
  expiresAt: string
  /** The link was also sent to the person. */
  mailed?: boolean
  /** Not null: it was not sent, because too many were sent before it, and another one may be sent from then on. */
  nextMailAt?: string | null
  title: string
  onClose: () => void
}) {
  return (
    <Alert
      role="status"
      variant="light"
      color="road"
      icon={<Link2 aria-hidden />}
      title={title}
      withCloseButton
      closeButtonLabel="Hide the link"
      onClose={onClose}
      mb="md"
    >
      {nextMailAt !== null && (
        <>
          This link was not mailed, because too many invitations were mailed before it. The next one can be
          mailed <Time at={nextMailAt} />.{' '}
        </>
      )}
      {mailed ? 'This link was mailed.' : 'Share this link yourself.'} It works once and expires{' '}
      <Time at={expiresAt} />. It cannot be shown again.
      <Box mt="sm">
        <CodeBlock code={link} what="the link" wrap />
      </Box>
    </Alert>
  )
}
