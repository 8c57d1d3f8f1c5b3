import { Anchor, type AnchorProps, TextInput, type TextInputProps } from '@mantine/core'

/** The field for a code of the authenticator app, or for a recovery code. */
export function CodeField({ recovery, ...field }: TextInputProps & { recovery: boolean }) {
  return (
    <TextInput
      label={recovery ? 'Recovery code' : 'Code'}
      description={
        recovery
          ? 'One of the codes that you saved. Each code works once.'
          : 'The six digits in your authenticator app.'
      }
      inputMode={recovery ? 'text' : 'numeric'}
      autoComplete={recovery ? 'off' : 'one-time-code'}
      spellCheck={false}
      {...field}
    />
  )
}

/** Switches between the two kinds of code. */
export function OtherCode({
  recovery,
  onSwitch,
  ...style
}: AnchorProps & { recovery: boolean; onSwitch: () => void }) {
  return (
    <Anchor component="button" type="button" size="sm" onClick={onSwitch} {...style}>
      {recovery ? 'Use the authenticator app' : 'Use a recovery code'}
    </Anchor>
  )
}
