import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'

/** Asks before something is done that cannot be taken back. */
export function confirmed(asked: { title: string; about: string; act: string }, onConfirm: () => void): void {
  modals.openConfirmModal({
    title: asked.title,
    children: <Text size="sm">{asked.about}</Text>,
    labels: { confirm: asked.act, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': 'Close' },
    onConfirm,
  })
}
