import { Pause, Play } from 'lucide-react'
import { endPause, type PauseTarget, pause } from '../api/overview.ts'
import { ActionButton } from '../parts/action-button.tsx'

/** Pauses mail of the scope, or ends the pause of exactly this scope. */
export function PauseButton({ scope, paused }: { scope: PauseTarget; paused: boolean }) {
  const Icon = paused ? Play : Pause
  return (
    <ActionButton
      size="compact-xs"
      leftSection={<Icon size={12} aria-hidden />}
      run={() => (paused ? endPause(scope) : pause(scope))}
    >
      {paused ? 'Resume' : 'Pause'}
    </ActionButton>
  )
}
