/** Every dialog. When it closes, the focus goes back to where it was before. */
import { Modal, type ModalProps } from '@mantine/core'
import { FocusReturn } from './focus-return.tsx'

export function Dialog({ children, ...props }: ModalProps) {
  return (
    <Modal {...props}>
      <FocusReturn />
      {children}
    </Modal>
  )
}
