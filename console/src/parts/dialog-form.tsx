import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormError } from './form-error.tsx'

/** What is filled in within a dialog: its fields, what went wrong, and the two ways out. */
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
  /** What is done with it: it takes no arguments. */
  mutation: { mutate: () => void; isPending: boolean; error: Error | null }
  valid?: boolean
  /** Something is lost by it. */
  destructive?: boolean
  /** A field among `children` shows what went wrong. */
  errorAtField?: boolean
  close: () => void
  children: ReactNode
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!mutation.isPending) mutation.mutate()
      }}
    >
      <Stack>
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
      </Stack>
    </form>
  )
}
