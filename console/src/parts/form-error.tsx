import { Alert } from '@mantine/core'
import { CircleAlert } from 'lucide-react'

/** The reason why the server refused a form. Screen readers announce it at once. */
export function FormError({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Alert role="alert" color="red" variant="light" p="xs" icon={<CircleAlert aria-hidden />}>
      {error.message}
    </Alert>
  )
}
