import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { overlaysReady } from './overlays-ready.ts'

/** A question before an action. */
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

export interface Action<Result = unknown> {
  run: () => Promise<Result>
  /** Shown after the action has succeeded. */
  done?: ReactNode | ((result: Result) => ReactNode)
}

/** Asks, and then runs the action. */
export async function confirm<Result>({
  title,
  about,
  act,
  cancel = 'Cancel',
  harmless = false,
  ...action
}: Confirmation & Action<Result>): Promise<void> {
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
    onConfirm: () => void attempt(action),
  })
}

/** Runs an action that a click asked for, and reports its result or its error. */
export async function attempt<Result>({ run, done }: Action<Result>): Promise<void> {
  try {
    const result = await run()
    const message = typeof done === 'function' ? done(result) : done
    if (message != null) notifications.show({ color: 'road', message })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    notifications.show({ color: 'red', title: 'This did not work', message, autoClose: 10_000 })
  }
}
