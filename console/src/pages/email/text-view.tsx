import { Alert, Paper, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { copyTextQuery, type EmailContent, type EmailDetail } from '../../api/email.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'

/** What who reads no HTML gets: in batch mail each recipient something else. */
export function TextView({
  company,
  email,
  content,
}: {
  company: string
  email: EmailDetail
  content: EmailContent
}) {
  const recipient = useCopyFor(email, content.individual)
  const ofCopy = content.individual || content.ready
  const copy = useQuery({ ...copyTextQuery(company, email.id, recipient), enabled: ofCopy })
  if (!ofCopy) return <PlainText text={content.text} clipped={content.clipped.includes('text')} />
  if (copy.error) return <ErrorAlert error={copy.error} reset={() => void copy.refetch()} />
  if (copy.isPending) return <Skeleton h={240} />
  const { text, clipped, trouble } = copy.data
  if (trouble !== null) {
    return (
      <Text size="sm">
        The text cannot be read: <UntrustedText>{trouble}</UntrustedText>
      </Text>
    )
  }
  return <PlainText text={text} clipped={clipped} />
}

function PlainText({ text, clipped }: { text: string | null; clipped: boolean }) {
  if (text === null || text === '') {
    return (
      <Alert color="orange" title="There is no text in this email">
        Who reads mail without HTML sees nothing of it, and filters trust it less. Leave text out of the
        request, and it is made of the HTML; an empty one keeps it out.
      </Alert>
    )
  }
  return (
    <Paper withBorder p="sm">
      <pre className={classes.text} dir="auto">
        {visible(text, Number.POSITIVE_INFINITY)}
      </pre>
      {clipped && (
        <Text size="sm" c="dimmed" mt="xs">
          This is the beginning. All of it is in the source.
        </Text>
      )}
    </Paper>
  )
}
