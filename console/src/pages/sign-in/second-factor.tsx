import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { signInWithCode } from '../../api/session.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { CodeField, OtherCode } from './code-field.tsx'

/** The second step after the password. `onEnded`: called if it took too long and has to start again. */
export function SecondFactor({
  ticket,
  onDone,
  onEnded,
}: {
  ticket: string
  onDone: () => void
  onEnded: (why: Error) => void
}) {
  const [recovery, setRecovery] = useState(false)
  const form = useForm({
    initial: { code: '' },
    submit: ({ code }) => signInWithCode(ticket, code),
    onDone,
    onError(error) {
      if (error instanceof ApiError && error.code === 'ended') onEnded(error)
      form.clear()
    },
    errorAt: 'code',
    valid: ({ code }) => code.trim() !== '',
  })
  const type = (code: string) => {
    // The last digit, or a pasted code, submits the form.
    if (/^\d{6}$/.test(code.replace(/\s/g, ''))) form.send({ code })
    else form.set({ code })
  }
  return (
    <Form of={form} label="Second step">
      {recovery ? (
        <CodeField
          key="recovery"
          recovery
          placeholder="xxxx-xxxx-xxxx-xxxx"
          autoFocus
          {...form.field('code')}
        />
      ) : (
        <CodeField
          key="code"
          recovery={false}
          maxLength={10}
          autoFocus
          {...form.field('code')}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
      )}
      <SubmitButton>Sign in</SubmitButton>
      <OtherCode
        recovery={recovery}
        ta="center"
        onSwitch={() => {
          setRecovery(!recovery)
          form.clear()
          form.forget()
        }}
      />
    </Form>
  )
}
