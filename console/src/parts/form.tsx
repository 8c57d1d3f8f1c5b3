import { Stack, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** A form that runs a mutation on submit, one at a time. */
export function Form({
  label,
  mutation,
  gap = 'sm',
  maw,
  children,
}: {
  label?: string
  /** Runs without arguments. */
  mutation: { mutate: () => void; isPending: boolean }
  gap?: StackProps['gap']
  maw?: StackProps['maw']
  children: ReactNode
}) {
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (!mutation.isPending) mutation.mutate()
      }}
    >
      <Stack gap={gap} maw={maw}>
        {children}
      </Stack>
    </form>
  )
}
