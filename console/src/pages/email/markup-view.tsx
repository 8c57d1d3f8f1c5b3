import { Text } from '@mantine/core'
import { SourceText } from './source-text.tsx'
import type { EmailViewProps } from './view.ts'

/** The HTML as the application handed it over: before variables, tracking and encoding for transport. */
export function MarkupView({ content: { html, clipped } }: EmailViewProps) {
  if (html === null) return <Text size="sm">This email has no HTML.</Text>
  return (
    <>
      {clipped.includes('html') && (
        <Text size="sm" c="dimmed" mb="xs">
          Only the beginning is shown. The source has the whole message.
        </Text>
      )}
      <SourceText text={html} shown={null} label="HTML source" />
    </>
  )
}
