import { TextInput, type TextInputProps } from '@mantine/core'

/** The address that a person signs in with. */
export function AddressField(field: TextInputProps) {
  return (
    <TextInput
      label="Email address"
      type="email"
      name="username"
      autoComplete="username"
      required
      withAsterisk={false}
      {...field}
    />
  )
}
