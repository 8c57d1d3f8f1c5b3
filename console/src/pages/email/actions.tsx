/** The actions on an email. Actions that the server would refuse are not offered. */
import { Button, Group } from '@mantine/core'
import { Ban, RotateCw, Send, ShieldCheck, Terminal } from 'lucide-react'
import { useState } from 'react'
import type { WaitReason } from '../../../../src/operate/status-sentence.ts'
import { actOn, countOf, type EmailAction, type EmailDetail } from '../../api/email.ts'
import { useIsCapture } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { attempt, confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { useMayManage, useRole } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { CapturedEmailShortcuts, DeleteButton } from './captured-actions.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { SendAgain } from './send-again.tsx'

interface ActionsProps {
  company: string
  email: EmailDetail
  /** Leaves the email for the list. */
  onLeave: () => void
  /** It is shown beside the list, whose keys act on it too. */
  isBeside?: boolean
}

export function Actions({ company, email, onLeave, isBeside = false }: ActionsProps) {
  const { id, states, contentRemoved: removed } = email
  const [open, setOpen] = useState<'again' | 'curl' | null>(null)
  const close = () => setOpen(null)
  const captures = useIsCapture()
  const mayManage = useMayManage()
  const role = useRole()
  const operator = role === 'operator' || role === null
  const act = (action: EmailAction) => ({
    run: () => actOn(company, id, action),
    done: ({ changed }: { changed: number }) => DONE[action](changed),
  })
  const waiting = (states.waiting ?? 0) > 0
  // A page of recipients does not tell what the others wait for.
  const retriable =
    waiting &&
    (email.recipients.some(({ waits }) => waits !== null && RETRIED.has(waits)) ||
      email.recipients.length < countOf(email))
  const scheduled = email.recipients.some(({ waits }) => waits === 'schedule')
  const stoppable = waiting || (states.sending ?? 0) > 0 || (states.quarantined ?? 0) > 0
  const captured = { company, email, onLeave }
  const isDeletable = captures && mayManage && !stoppable
  useShortcuts([
    {
      keys: 'r',
      does: 'Retry the email now',
      run: () => {
        if (mayManage && retriable) void attempt(act('retry'))
      },
    },
    {
      keys: 'c',
      does: 'Cancel the email',
      run: () => {
        if (mayManage && stoppable) void confirm({ ...CANCEL, ...act('cancel') })
      },
    },
    {
      keys: 'e',
      does: 'Send the email again',
      run: () => {
        if (mayManage && !removed) setOpen('again')
      },
    },
  ])
  return (
    <Group gap="xs">
      {mayManage && retriable && (
        <ActionButton
          size="xs"
          variant="filled"
          leftSection={scheduled ? <Send size={16} aria-hidden /> : <RotateCw size={16} aria-hidden />}
          {...act('retry')}
        >
          {scheduled ? 'Send now' : 'Retry now'}
        </ActionButton>
      )}
      {mayManage && stoppable && (
        <ActionButton size="xs" leftSection={<Ban size={16} aria-hidden />} ask={CANCEL} {...act('cancel')}>
          Cancel
        </ActionButton>
      )}
      {mayManage && !removed && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Send size={16} aria-hidden />}
          onClick={() => setOpen('again')}
        >
          Send again
        </Button>
      )}
      {isDeletable && <DeleteButton {...captured} />}
      {captures && !isBeside && <CapturedEmailShortcuts {...captured} isDeletable={isDeletable} />}
      <RowMenu
        label="More actions"
        variant="default"
        items={[
          { label: 'Copy as curl', icon: Terminal, disabled: removed, onClick: () => setOpen('curl') },
          operator &&
            (states.quarantined ?? 0) > 0 && {
              label: 'Release from quarantine',
              icon: ShieldCheck,
              onClick: () => void attempt(act('release')),
            },
        ]}
      />
      <Dialog opened={open === 'again'} onClose={close} title="Send again">
        <SendAgain company={company} email={email} onDone={close} />
      </Dialog>
      <Dialog opened={open === 'curl'} onClose={close} title="Copy as curl" size="xl">
        <CopyAsCurl company={company} email={email} />
      </Dialog>
    </Group>
  )
}

/** The waits that a retry ends. Pauses and domains that may not send outlast it; a scheduled email leaves early. */
const RETRIED: ReadonlySet<WaitReason> = new Set(['turn', 'retry', 'refusal', 'path', 'schedule'])

const CANCEL = {
  title: 'Cancel this email?',
  about: 'Recipients who have not received it yet will not get it. This cannot be undone.',
  act: 'Cancel email',
  cancel: 'Keep email',
}

const DONE = {
  retry: (count: number) => `Sending to ${recipients(count)} now`,
  cancel: (count: number) => `Canceled for ${recipients(count)}`,
  release: (count: number) => `Released ${recipients(count)}`,
}

function recipients(count: number): string {
  return count === 1 ? 'one recipient' : `${count.toLocaleString()} recipients`
}
