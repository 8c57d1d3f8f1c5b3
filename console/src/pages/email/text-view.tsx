import { Alert, Paper, Text } from '@mantine/core'
import type { EmailContent } from '../../api/email.ts'
import { visible } from '../../parts/untrusted-text.tsx'
import classes from './email.module.css'

/** What who reads no HTML gets. */
export function TextView({ content }: { content: EmailContent }) {
  const text = content.text ?? ''
  if (text === '') {
    return (
      <Alert color="orange" title="There is no text in this email">
        Who reads mail without HTML sees nothing of it, and filters trust it less. Leave text out of the
        request, and it is made of the HTML; an empty one keeps it out.
      </Alert>
    )
  }
  return (
    <Paper withBorder p="sm">
      {content.individual && (
        <Text size="sm" c="dimmed" mb="xs">
          As it was handed in: each recipient’s values stand in the source of his copy.
        </Text>
      )}
      <pre className={classes.text} dir="auto">
        {visible(text, Number.POSITIVE_INFINITY)}
      </pre>
    </Paper>
  )
}
