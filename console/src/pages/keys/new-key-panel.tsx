import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { KeyWithToken } from '../../api/keys.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { SnippetsPanel } from './snippets-panel.tsx'

/** The token of a new key, shown once. `children`: what else its holder has to know. */
export function NewKeyPanel({
  company,
  made,
  close,
  children,
}: {
  company: string
  made: KeyWithToken
  close: () => void
  children?: ReactNode
}) {
  const { key, token } = made
  return (
    <Stack>
      <Alert color="road" variant="light" icon={<CircleCheck aria-hidden />} title="Copy the key now">
        <Text size="sm" mb="xs">
          The key is shown only once, since Postroad stores only its hash.
        </Text>
        <CodeBlock code={token} what="the API key" wrap />
      </Alert>
      {children}
      {key.scopes.includes('sending') && (
        <>
          <Text fw={600}>Send with this key</Text>
          <SnippetsPanel company={company} token={token} only={key.domain?.name ?? null} />
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={close}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
