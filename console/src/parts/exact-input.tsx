import { TextInput, type TextInputProps } from '@mantine/core'
import { EXACT } from './form.tsx'

/** The required field that a form begins with, for text that has one spelling. A dialog gives it the focus. */
export function ExactInput(input: TextInputProps) {
  return <TextInput {...EXACT} data-autofocus required {...input} />
}
