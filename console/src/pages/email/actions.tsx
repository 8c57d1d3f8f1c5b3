/** The actions on an email. Actions that the server would refuse are not offered. */
import { Button, Group, Menu, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { Ban, Ellipsis, RotateCw, Send, ShieldCheck, Terminal } from 'lucide-react'
import { useState } from 'react'
import { actOn, type EmailDetail } from '../../api/email.ts'
import { ask } from '../../parts/confirm.tsx'
import { useMayManage, useRole } from '../../shell/company.ts'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { SendAgain } from './send-again.tsx'

export function Actions({ company, email }: { company: string; email: EmailDetail }) {
  const { id, states, contentRemoved: removed } = email
  const [open, setOpen] = useState<'again' | 'curl' | null>(null)
  const close = () => setOpen(null)
  const mayManage = useMayManage()
  const role = useRole()
  const operator = role === 'operator' || role === null
  const act = useMutation({
    mutationFn: (action: 'retry' | 'cancel' | 'release') => actOn(company, id, action),
    onSuccess: ({ changed }, action) => notifications.show({ color: 'road', message: DONE[action](changed) }),
    onError: (error) =>
      notifications.show({ color: 'red', title: 'This did not work', message: error.message }),
  })
  const waiting = (states.waiting ?? 0) > 0
  const stoppable = waiting || (states.sending ?? 0) > 0 || (states.quarantined ?? 0) > 0
  const cancel = () =>
    void ask(
      {
        title: 'Cancel this email?',
        about: 'Recipients who have not received it yet will not get it. This cannot be undone.',
        act: 'Cancel email',
        cancel: 'Keep email',
      },
      () => act.mutate('cancel'),
    )
  return (
    <Group gap="xs">
      {mayManage && waiting && (
        <Button
          size="xs"
          leftSection={<RotateCw size={16} aria-hidden />}
          loading={act.isPending && act.variables === 'retry'}
          onClick={() => act.mutate('retry')}
        >
          Retry now
        </Button>
      )}
      {mayManage && stoppable && (
        <Button size="xs" variant="default" leftSection={<Ban size={16} aria-hidden />} onClick={cancel}>
          Cancel
        </Button>
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
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" px="xs" aria-label="More actions">
            <Ellipsis size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Terminal size={16} aria-hidden />}
            onClick={() => setOpen('curl')}
            disabled={removed}
          >
            Copy as curl
          </Menu.Item>
          {operator && (states.quarantined ?? 0) > 0 && (
            <Menu.Item
              leftSection={<ShieldCheck size={16} aria-hidden />}
              onClick={() => act.mutate('release')}
            >
              Release from quarantine
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={open === 'again'} onClose={close} title="Send again">
        <SendAgain company={company} email={email} onDone={close} />
      </Modal>
      <Modal opened={open === 'curl'} onClose={close} title="Copy as curl" size="xl">
        <CopyAsCurl company={company} email={email} />
      </Modal>
    </Group>
  )
}

const DONE = {
  retry: (count: number) => `Retrying ${recipients(count)} now`,
  cancel: (count: number) => `Canceled for ${recipients(count)}`,
  release: (count: number) => `Released ${recipients(count)}`,
}

function recipients(count: number): string {
  return count === 1 ? 'one recipient' : `${count.toLocaleString()} recipients`
}
