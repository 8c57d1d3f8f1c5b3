import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { overlaysReady } from './overlays-ready.ts'

export interface Confirmation {
  /** A question that names the object of the action. */
  title: string
  /** The consequences of the action. */
  about: ReactNode
  /** The label of the button that confirms. */
  act: string
  /** The label of the button that cancels. */
  cancel?: string
  /** The action loses nothing, so its button is not red. */
  harmless?: boolean
}

export interface ConfirmedAction extends Confirmation {
  run: () => Promise<unknown>
  /** Shown after the action has succeeded. */
  done?: string
}

/** Asks before an action. The caller reports the result. */
export async function ask(
  { title, about, act, cancel = 'Cancel', harmless = false }: Confirmation,
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

/** Asks, runs the action, and reports the result. */
export function confirm({ run, done, ...asked }: ConfirmedAction): void {
  void ask(asked, () => void attempt(run, done))
}

/** Runs an action that a click asked for, and shows the error if it fails. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await run()
    if (done !== undefined) notifications.show({ message: done })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    notifications.show({ color: 'red', title: 'This did not work', message, autoClose: 10_000 })
  }
}
