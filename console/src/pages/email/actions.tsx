/** The actions on an email. Actions that the server would refuse are not offered. */
import { Button, Group } from '@mantine/core'
import { Ban, RotateCw, Send, ShieldCheck, Terminal, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { WaitReason } from '../../../../src/operate/status-sentence.ts'
import { call } from '../../api/client.ts'
import { actOn, countOf, type EmailAction, type EmailDetail, emailsDeleted } from '../../api/email.ts'
import { useIsCapture } from '../../api/session.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { attempt, confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { useMayManage, useRole } from '../../shell/company.ts'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { SendAgain } from './send-again.tsx'

interface ActionsProps {
  company: string
  email: EmailDetail
  onDeleted: () => void
}

export function Actions({ company, email, onDeleted }: ActionsProps) {
  const { id, states, contentRemoved: removed } = email
  const [open, setOpen] = useState<'again' | 'curl' | null>(null)
  const close = () => setOpen(null)
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
  const deletable = useIsCapture() && mayManage && !stoppable
  const remove = { run: () => deleteEmail(company, id).then(onDeleted), done: 'The email was deleted.' }
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
    ...(deletable
      ? [{ keys: 'Delete', does: 'Delete the email', run: () => void confirm({ ...DELETE, ...remove }) }]
      : []),
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
      {deletable && (
        <ActionButton size="xs" leftSection={<Trash2 size={16} aria-hidden />} ask={DELETE} {...remove}>
          Delete
        </ActionButton>
      )}
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

const DELETE = {
  title: 'Delete this email?',
  about: 'The email is deleted with its content and events. This cannot be undone.',
  act: 'Delete email',
  cancel: 'Keep email',
}

/** Works in capture mode only. */
async function deleteEmail(company: string, id: string): Promise<void> {
  const { refused } = await call('POST /companies/:company/emails/delete', { company, body: { ids: [id] } })
  await emailsDeleted()
  const [refusal] = refused
  if (refusal !== undefined) throw new Error(refusal.why)
}

const DONE = {
  retry: (count: number) => `Sending to ${recipients(count)} now`,
  cancel: (count: number) => `Canceled for ${recipients(count)}`,
  release: (count: number) => `Released ${recipients(count)}`,
}

function recipients(count: number): string {
  return count === 1 ? 'one recipient' : `${count.toLocaleString()} recipients`
}
