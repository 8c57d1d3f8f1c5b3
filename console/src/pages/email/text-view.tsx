import { Alert, Paper, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { copyTextQuery } from '../../api/email.ts'
import { Pending } from '../../parts/pending.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'
import type { EmailViewProps } from './view.ts'

/** The text that mail programs without HTML show. In batch mail each recipient's copy has its own. */
export function TextView({ company, email, content }: EmailViewProps) {
  const recipient = useCopyFor(email, content.individual)
  const ofCopy = content.individual || content.ready
  const copy = useQuery({ ...copyTextQuery(company, email.id, recipient), enabled: ofCopy })
  if (!ofCopy) return <PlainText text={content.text} clipped={content.clipped.includes('text')} />
  if (!copy.data) return <Pending of={copy} />
  const { text, clipped, trouble } = copy.data
  if (trouble !== null) {
    return (
      <Text size="sm">
        The text could not be read: <UntrustedText>{trouble}</UntrustedText>
      </Text>
    )
  }
  return <PlainText text={text} clipped={clipped} />
}

function PlainText({ text, clipped }: { text: string | null; clipped: boolean }) {
  if (text === null || text === '') {
    return (
      <Alert color="orange" title="This email has no text">
        Recipients who read mail without HTML see nothing, and spam filters trust it less. If a request has no
        text, Postroad derives it from the HTML; an empty text prevents that.
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
          Only the beginning is shown. The source has the whole text.
        </Text>
      )}
    </Paper>
  )
}
