/** Where the link for a new password leads. Opening it changes nothing. */
import { Button, Center, Loader } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isRefusal } from '../../api/client.ts'
import { choosePassword, type PasswordLink, readPasswordLink } from '../../api/session.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'
import { NewPasswordField, PasswordOwner } from '../../parts/password-field.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { arrival } from '../sign-in/arrival.ts'
import { Card } from '../sign-in/card.tsx'
import { CodeField, OtherCode } from '../sign-in/code-field.tsx'

interface ReadPasswordLink extends PasswordLink {
  token: string
}

/** The token of the link in this tab: until the password is saved, a reload opens the link again. */
const TOKEN_KEY = 'postroad-new-password'

async function open(): Promise<ReadPasswordLink> {
  if (arrival.token !== null) {
    window.sessionStorage.setItem(TOKEN_KEY, arrival.token)
    arrival.token = null
  }
  const token = window.sessionStorage.getItem(TOKEN_KEY)
  if (token === null) throw new Error('The end of the link is missing. Copy the whole link.')
  try {
    return { ...(await readPasswordLink(token)), token }
  } catch (error) {
    if (isRefusal(error)) window.sessionStorage.removeItem(TOKEN_KEY)
    throw error
  }
}

export function NewPasswordPage() {
  const [link, setLink] = useState<ReadPasswordLink | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    open().then(setLink).catch(setError)
  }, [])
  if (link !== null) return <Choose link={link} />
  if (error === null) {
    return (
      <Center component="main" mih="100vh">
        <Loader role="img" aria-label="Reading the link" />
      </Center>
    )
  }
  return (
    <Card title="This link does not work">
      <FormError error={error} />
      <Button component={Link} to="/sign-in">
        Go to sign-in
      </Button>
    </Card>
  )
}

function Choose({ link: { token, address, secondFactor } }: { link: ReadPasswordLink }) {
  const navigate = useNavigate()
  const [recovery, setRecovery] = useState(false)
  const form = useForm({
    initial: { password: '', code: '' },
    submit: ({ password, code }) => choosePassword({ token, password, ...(secondFactor && { code }) }),
    onDone() {
      window.sessionStorage.removeItem(TOKEN_KEY)
      return navigate({ to: '/', replace: true })
    },
    // Of two fields either may be wrong, which the sentence says.
    errorAt: secondFactor ? undefined : 'password',
    valid: ({ code }) => !secondFactor || code.trim() !== '',
  })
  const change = () => {
    setRecovery(!recovery)
    form.set({ code: '' })
    form.forget()
  }
  return (
    <Card
      title="Choose a new password"
      about={
        <>
          For <UntrustedText>{address ?? ''}</UntrustedText>. It ends all your sessions, on every device.
        </>
      }
    >
      <Form
        of={form}
        label="Choose a new password"
        actions={<SubmitButton mt={4}>Save and sign in</SubmitButton>}
      >
        <PasswordOwner address={address} />
        <NewPasswordField
          label="New password"
          autoFocus
          required
          withAsterisk={false}
          {...form.field('password')}
        />
        {secondFactor && (
          <>
            <CodeField recovery={recovery} required withAsterisk={false} {...form.field('code')} />
            <OtherCode recovery={recovery} onSwitch={change} />
          </>
        )}
      </Form>
    </Card>
  )
}
