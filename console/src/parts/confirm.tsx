import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

export interface Confirmed {
  /** A question that names the thing. */
  title: string
  /** What follows from it. */
  about: ReactNode
  /** The word on the button that does it. */
  act: string
  /** Nothing is lost by it. */
  harmless?: boolean
  run: () => Promise<unknown>
  /** Said when it is done. */
  done?: string
}

/** Asks before something is done, does it, and says what came of it. */
export function confirm({ title, about, act, harmless = false, run, done }: Confirmed): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {about}
      </Text>
    ),
    labels: { confirm: act, cancel: 'Cancel' },
    ...(!harmless && { confirmProps: { color: 'red' } }),
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: () => void attempt(run, done),
  })
}

/** Does something that was asked for by a click; what it is refused for is shown. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await run()
    if (done !== undefined) notifications.show({ message: done })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    notifications.show({ color: 'red', title: 'This did not work', message, autoClose: 10_000 })
  }
}
