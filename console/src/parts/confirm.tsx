import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { FocusReturn } from './focus-return.tsx'
import { notify } from './notify.ts'
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

/** The button that has the focus when the question opens. */
const FIRST = { 'data-autofocus': true }

/** Asks, and then runs the action. */
export async function confirm<Result>({
  title,
  about,
  act,
  cancel = 'Cancel',
  harmless = false,
  ...action
}: Confirmation & Action<Result>): Promise<void> {
  await overlaysReady()
  modals.openConfirmModal({
    title,
    children: (
      <>
        <FocusReturn />
        <Text size="sm" component="div">
          {about}
        </Text>
      </>
    ),
    labels: { confirm: act, cancel },
    // Enter does what is harmless.
    ...(harmless ? { confirmProps: FIRST } : { confirmProps: { color: 'red' }, cancelProps: FIRST }),
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm: () => void attempt(action),
  })
}

/**
 * Runs an action that the server refuses when it does harm. It then asks, with the server's sentence about the harm, and
 * runs the action with `force`.
 */
export async function attemptUnlessHarmful<Result>({
  run,
  done,
  ...question
}: Omit<Confirmation, 'about'> & {
  run: (force: boolean) => Promise<Result>
  done?: Action<Result>['done']
}): Promise<void> {
  const forced = { run: () => run(true), ...(done !== undefined && { done }) }
  await attempt({
    async run() {
      try {
        return await run(false)
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'unconfirmed')) throw error
        await confirm({ ...question, about: error.message, ...forced })
        return null
      }
    },
    done: (result) => (result === null ? null : typeof done === 'function' ? done(result) : done),
  })
}

/** Runs an action that a click asked for, and reports its result or its error. */
export async function attempt<Result>({ run, done }: Action<Result>): Promise<void> {
  try {
    const result = await run()
    const message = typeof done === 'function' ? done(result) : done
    if (message != null) void notify({ color: 'road', message })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    void notify({ color: 'red', title: 'This did not work', message, autoClose: 10_000 })
  }
}
