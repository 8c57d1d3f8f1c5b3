import { Alert, Button, Group } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { ApiError } from '../api/client.ts'

/** An error and what to do about it, for a page or a part of one. */
export function ErrorAlert({ error, reset }: { error: unknown; reset?: (() => void) | undefined }) {
  const title = error instanceof ApiError ? titleOf(error) : 'Something went wrong on this page'
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert aria-hidden />} title={title} my="md">
      {error instanceof Error ? error.message : String(error)}
      {reset && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={reset}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}

function titleOf({ status }: ApiError): string {
  if (status === 0 || status === 502 || status === 503) return 'Postroad does not answer'
  if (status === 404) return 'Not found'
  if (status === 403) return 'You do not have permission'
  return 'This did not work'
}
