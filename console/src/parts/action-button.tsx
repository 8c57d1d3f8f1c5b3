import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Action, attempt, type Confirmation, confirm } from './confirm.tsx'
import { useFocusReturn } from './focus-return.tsx'

/** A button that acts at once, or after a question. It reports the result and errors as notifications. */
export function ActionButton<Result>({
  run,
  done,
  ask,
  ...button
}: Action<Result> & { ask?: Confirmation; children: ReactNode; 'aria-label'?: string } & ButtonProps) {
  const [pending, setPending] = useState(false)
  useFocusReturn(pending)
  const action = {
    done,
    run: () => {
      setPending(true)
      return run().finally(() => setPending(false))
    },
  }
  const act = () => void (ask === undefined ? attempt(action) : confirm({ ...ask, ...action }))
  return <Button variant="default" loading={pending} onClick={act} {...button} />
}
