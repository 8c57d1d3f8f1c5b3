import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Form } from './form.tsx'
import { FormError } from './form-error.tsx'

/** A form in a dialog: its fields, the error, and the buttons to submit and to cancel. */
export function DialogForm({
  submitLabel,
  cancelLabel = 'Cancel',
  mutation,
  valid = true,
  destructive = false,
  errorAtField = false,
  close,
  children,
}: {
  submitLabel: string
  cancelLabel?: string
  /** Runs on submit, without arguments. */
  mutation: { mutate: () => void; isPending: boolean; error: Error | null }
  valid?: boolean
  /** The action loses something, so its button is red. */
  destructive?: boolean
  /** A field among `children` shows the error. */
  errorAtField?: boolean
  close: () => void
  children: ReactNode
}) {
  return (
    <Form mutation={mutation} gap="md">
      {children}
      {!errorAtField && <FormError error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {cancelLabel}
        </Button>
        <Button
          type="submit"
          loading={mutation.isPending}
          disabled={!valid}
          {...(destructive && { color: 'red' })}
        >
          {submitLabel}
        </Button>
      </Group>
    </Form>
  )
}
