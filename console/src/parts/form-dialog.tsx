import { Button, Group, type ModalProps, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Form, type FormSpec, type FormState, SubmitButton, useForm } from './form.tsx'

/** The properties of the dialogs of a company's pages. */
export interface DialogProps {
  company: string
  opened: boolean
  close: () => void
}

interface DialogFormProps<Values, Result> extends FormSpec<Values, Result> {
  submitLabel: string
  cancelLabel?: string
  /** The action loses something, so its button is red. */
  destructive?: boolean
  close: () => void
  children: (form: FormState<Values, Result>) => ReactNode
}

/** A form in a dialog. It starts anew each time the dialog opens. `onDone`: closes the dialog if absent. */
export function FormDialog<Values extends object, Result>({
  title,
  size = 'md',
  opened,
  ...form
}: DialogFormProps<Values, Result> & Pick<ModalProps, 'title' | 'size' | 'opened'>) {
  return (
    <Dialog opened={opened} onClose={form.close} title={title} size={size}>
      <DialogForm {...form} />
    </Dialog>
  )
}

/** The content of a form dialog, for dialogs that show something else before or after. */
export function DialogForm<Values extends object, Result>({
  submitLabel,
  cancelLabel = 'Cancel',
  destructive = false,
  close,
  onDone = close,
  children,
  ...spec
}: DialogFormProps<Values, Result>) {
  const form = useForm({ ...spec, onDone })
  return (
    <Form
      of={form}
      gap="md"
      actions={
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {cancelLabel}
          </Button>
          <SubmitButton {...(destructive && { color: 'red' })}>{submitLabel}</SubmitButton>
        </Group>
      }
    >
      {children(form)}
    </Form>
  )
}

/** `from`: the present name; `null` while the dialog is closed. */
export function RenameDialog({
  title,
  label = 'Name',
  about,
  from,
  submitLabel = 'Rename',
  rename,
  close,
}: {
  title: string
  label?: string
  about?: string
  from: string | null
  submitLabel?: string
  rename: (name: string) => Promise<unknown>
  close: () => void
}) {
  return (
    <FormDialog
      title={title}
      opened={from !== null}
      close={close}
      initial={{ name: from ?? '' }}
      submit={({ name }) => rename(name.trim())}
      errorAt="name"
      valid={({ name }) => name.trim() !== ''}
      submitLabel={submitLabel}
    >
      {({ field }) => (
        <TextInput
          label={label}
          description={about}
          maxLength={200}
          data-autofocus
          required
          {...field('name')}
        />
      )}
    </FormDialog>
  )
}
