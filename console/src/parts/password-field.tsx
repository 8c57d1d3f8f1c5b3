import { PasswordInput, type PasswordInputProps } from '@mantine/core'

type PasswordFieldProps = Omit<PasswordInputProps, 'onChange' | 'visibilityToggleButtonProps'> & {
  onValue: (password: string) => void
}

export function PasswordField({ onValue, ...input }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...input}
      onChange={({ currentTarget }) => onValue(currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
    />
  )
}

export function NewPasswordField(field: PasswordFieldProps) {
  return (
    <PasswordField
      {...field}
      description="At least 10 characters. A few random words are easy to remember and hard to guess."
      name="new-password"
      autoComplete="new-password"
    />
  )
}

/** Tells password managers whose password the form has: nobody sees it. */
export function PasswordOwner({ address }: { address: string | null }) {
  return <input type="text" name="username" autoComplete="username" value={address ?? ''} readOnly hidden />
}
