import { Button, Text } from '@mantine/core'
import { mailPasswordLink } from '../../api/session.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { AddressField } from './address-field.tsx'
import { Card } from './card.tsx'

/** Asks for the address that a link for a new password is mailed to. The service does not say whether it has an account. */
export function ForgottenPassword({ onBack }: { onBack: () => void }) {
  const form = useForm({
    initial: { address: '' },
    submit: async ({ address }) => {
      await mailPasswordLink(address)
      return address.trim()
    },
    errorAt: 'address',
    valid: ({ address }) => address.trim() !== '',
  })
  const back = (
    <Button variant="subtle" onClick={onBack}>
      Back to sign-in
    </Button>
  )
  if (form.result !== undefined) {
    return (
      <Card
        title="Look into your mailbox"
        about={
          <>
            If <UntrustedText>{form.result}</UntrustedText> has an account, a mail is on its way there. It has
            a link to choose a new password, which works once, within an hour, or says how to sign in without
            one.
          </>
        }
      >
        <Text size="sm">
          Nothing after a few minutes? Check your spam folder, or ask an operator of this installation for a
          link that signs you in.
        </Text>
        {back}
      </Card>
    )
  }
  return (
    <Card title="Forgot password?" about="Postroad mails you a link to choose a new one.">
      <Form of={form} label="Forgot password" actions={<SubmitButton mt={4}>Mail me a link</SubmitButton>}>
        <AddressField description="With which you sign in." autoFocus {...form.field('address')} />
      </Form>
      {back}
    </Card>
  )
}
