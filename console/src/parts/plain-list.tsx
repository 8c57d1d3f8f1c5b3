import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** A list without marks, whose items have a layout of their own. */
export function PlainList({ children }: { children: ReactNode }) {
  return (
    <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {children}
    </Stack>
  )
}
