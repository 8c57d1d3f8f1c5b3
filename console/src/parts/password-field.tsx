import { PasswordInput, type PasswordInputProps } from '@mantine/core'

export function PasswordField(field: PasswordInputProps) {
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }} {...field} />
}

export function NewPasswordField(field: PasswordInputProps) {
  return (
    <PasswordField
      {...field}
      description="At least 10 characters. A few random words are easy to remember and hard to guess."
      name="new-password"
      autoComplete="new-password"
    />
  )
}

/** An invisible field that tells password managers whose password is in the form. */
export function PasswordOwner({ address }: { address: string | null }) {
  return <input type="text" name="username" autoComplete="username" value={address ?? ''} readOnly hidden />
}
