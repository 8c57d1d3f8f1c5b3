/** One request: its client, the fields that it sent, and the answer. */
import { Modal, Stack, Text } from '@mantine/core'
import type { RequestEntry } from '../../api/requests.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

export function RequestDialog({ request, close }: { request: RequestEntry | null; close: () => void }) {
  return (
    <Modal
      opened={request !== null}
      onClose={close}
      title={request && `${request.method} ${request.endpoint}`}
      size="lg"
    >
      {request && <Details of={request} />}
    </Modal>
  )
}

function Details({ of }: { of: RequestEntry }) {
  const { at, status, error, key, address, userAgent, request, response } = of
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        <Time at={at} /> · {status}
        {error !== null && ` ${error}`}
      </Text>
      <Text size="sm">
        From {address || 'an unknown address'}
        {userAgent !== null && (
          <>
            {' · '}
            <UntrustedText>{userAgent}</UntrustedText>
          </>
        )}
        {' · key '}
        <UntrustedText>{key?.name ?? 'unknown'}</UntrustedText>
      </Text>
      {request !== null && (
        <>
          <Text fw={600}>Sent</Text>
          <CodeBlock code={spread(request)} what="the fields that were sent" wrap />
          <Text size="xs" c="dimmed">
            Secrets and the content of mail are not stored: such fields show only their size.
          </Text>
        </>
      )}
      <Text fw={600}>Answer</Text>
      {response === null ? (
        <Text size="sm" c="dimmed">
          The answer to this request is not kept.
        </Text>
      ) : (
        <CodeBlock code={spread(response)} what="the answer" wrap />
      )}
    </Stack>
  )
}

/** JSON with line breaks; text that is not JSON stays as it is. */
function spread(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
