/** The form that creates a company: below the list of companies, and as the first of the first steps. */
import { Group, TextInput, type TextInputProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { createCompany } from '../../api/overview.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'

export function CompanyForm({
  button,
  onDone,
  ...input
}: Pick<TextInputProps, 'label' | 'autoFocus'> & {
  button: ComponentProps<typeof SubmitButton>
  onDone?: (company: { id: string }) => void
}) {
  const form = useForm({
    initial: { name: '' },
    submit: ({ name }) => createCompany(name),
    onDone(company) {
      form.clear()
      onDone?.(company)
    },
    errorAt: 'name',
  })
  return (
    <Form of={form} gap="xs">
      <Group align="flex-start" gap="sm">
        <TextInput
          placeholder="My company"
          required
          withAsterisk={false}
          {...input}
          {...form.field('name')}
        />
        <SubmitButton mt={{ xs: 25 }} {...button} />
      </Group>
    </Form>
  )
}
