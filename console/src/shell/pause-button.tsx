import { Button, Text } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { endPause, type PauseTarget, pause } from '../api/overview.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { chosenPause, ENDLESS, PauseFields } from './pause-fields.tsx'

/** Pauses mail of the scope, or ends the pause of exactly this scope. `mail`: the mail in words. */
export function PauseButton({ scope, mail, paused }: { scope: PauseTarget; mail: string; paused: boolean }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  if (paused) {
    return (
      <ActionButton
        size="compact-xs"
        aria-label={`Resume ${mail}`}
        leftSection={<Play size={12} aria-hidden />}
        run={() => endPause(scope)}
      >
        Resume
      </ActionButton>
    )
  }
  return (
    <>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`Pause ${mail}`}
        leftSection={<Pause size={12} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        Pause
      </Button>
      <FormDialog
        title={`Pause ${mail}?`}
        opened={opened}
        close={close}
        initial={ENDLESS}
        submit={(choice) => pause({ ...scope, ...chosenPause(choice) })}
        errorAt="reason"
        submitLabel="Pause"
      >
        {({ field }) => (
          <>
            <Text size="sm">Paused mail waits without using up attempts. New mail is still accepted.</Text>
            <PauseFields field={field} />
          </>
        )}
      </FormDialog>
    </>
  )
}
