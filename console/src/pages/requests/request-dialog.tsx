/** One request: its client, the fields that it sent, and the answer. */
import { Stack, Text } from '@mantine/core'
import type { RequestEntry } from '../../api/requests.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ClockTime } from '../../parts/clock-time.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

export function RequestDialog({
  company,
  request,
  close,
}: {
  company: string
  request: RequestEntry | null
  close: () => void
}) {
  return (
    <Dialog
      opened={request !== null}
      onClose={close}
      title={request && `${request.method} ${request.endpoint}`}
      size="lg"
    >
      {request && <Details company={company} of={request} />}
    </Dialog>
  )
}

function Details({ company, of }: { company: string; of: RequestEntry }) {
  const { at, status, error, key, address, userAgent, duration, request, response } = of
  const email = acceptedEmail(of)
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        <ClockTime at={at} precise /> · {status}
        {error !== null && ` ${error}`}
        {duration !== null && ` · answered in ${duration} ms`}
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
      {email !== null && (
        <AnchorLink to="/c/$company/emails/$id" params={{ company, id: email }} size="sm">
          The accepted email
        </AnchorLink>
      )}
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

const EMAIL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id in the answer to an accepted email, `null` for other requests. */
function acceptedEmail({ refused, endpoint, response }: RequestEntry): string | null {
  if (refused || response === null || endpoint !== '/emails') return null
  try {
    const { id } = JSON.parse(response)
    return EMAIL_ID.test(id) ? id : null
  } catch {
    return null
  }
}
