import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { type ApiKey, type RotatedKey, rotateKey } from '../../api/keys.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DialogForm } from '../../parts/form-dialog.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { NewKeyPanel } from './new-key-panel.tsx'

/** Hours for which the old key still works. */
const OLD_LASTS = [
  { value: '1', label: 'In an hour' },
  { value: '24', label: 'In a day' },
  { value: '168', label: 'In 7 days' },
  { value: '720', label: 'In 30 days' },
]
const HOUR = 3_600_000

export function RotateKey({ old, close }: { old: ApiKey; close: () => void }) {
  const [rotated, setRotated] = useState<RotatedKey | null>(null)
  return (
    <Dialog
      opened
      onClose={close}
      title={`Rotate the key “${old.name}”`}
      size={rotated === null ? 'md' : 'xl'}
      // A stray click or Escape must not close the dialog, since it shows the key only once.
      closeOnClickOutside={rotated === null}
      closeOnEscape={rotated === null}
    >
      {rotated === null ? (
        <DialogForm
          initial={{ lasts: '168' }}
          submit={({ lasts }) =>
            rotateKey(old.company.id, old.id, new Date(Date.now() + Number(lasts) * HOUR).toISOString())
          }
          onDone={setRotated}
          submitLabel="Rotate key"
          close={close}
        >
          {({ field }) => (
            <>
              <Text size="sm">
                A new key replaces “<UntrustedText>{old.name}</UntrustedText>”, with the same permissions and
                restrictions. Both work until the old key expires.
              </Text>
              <NativeSelect label="The old key expires" data={OLD_LASTS} {...field('lasts')} />
            </>
          )}
        </DialogForm>
      ) : (
        <NewKeyPanel company={old.company.id} made={rotated} close={close}>
          <Text size="sm">
            The old key works until <Time at={rotated.old.expiresAt} />.
          </Text>
        </NewKeyPanel>
      )}
    </Dialog>
  )
}
