import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { overlaysReady } from './overlays-ready.ts'

export interface Question {
  /** A question that names the thing. */
  title: string
  /** What follows from it. */
  about: ReactNode
  /** The word on the button that does it. */
  act: string
  /** The word on the button that does nothing. */
  cancel?: string
  /** Nothing is lost by it. */
  harmless?: boolean
}

export interface Confirmed extends Question {
  run: () => Promise<unknown>
  /** Said when it is done. */
  done?: string
}

/** Asks before something is done; what came of it says who does it. */
export async function ask(
  { title, about, act, cancel = 'Cancel', harmless = false }: Question,
  onConfirm: () => void,
): Promise<void> {
  await overlaysReady
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {about}
      </Text>
    ),
    labels: { confirm: act, cancel },
    ...(!harmless && { confirmProps: { color: 'red' } }),
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm,
  })
}

/** The same, does it, and says what came of it. */
export function confirm({ run, done, ...asked }: Confirmed): void {
  void ask(asked, () => void attempt(run, done))
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
