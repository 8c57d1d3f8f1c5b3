import { Select } from '@mantine/core'
import type { EmailDetail } from '../../api/email.ts'
import { visible } from '../../parts/untrusted-text.tsx'
import { useEmailView } from './email-view.tsx'

/** Batch mail has a copy of its own for each recipient; this field chooses the copy to show. */
export function CopyChoice({ email: { recipients } }: { email: EmailDetail }) {
  const {
    shown: { copy },
    show,
  } = useEmailView()
  return (
    <Select
      label="Copy for"
      mb="sm"
      maw={420}
      searchable
      allowDeselect={false}
      data={recipients.map(({ position, address }) => ({ value: String(position), label: visible(address) }))}
      value={String(copy ?? recipients[0]?.position ?? 0)}
      onChange={(value) => show({ copy: Number(value) })}
    />
  )
}

/** The address whose copy is shown; `undefined` if all recipients get the same message. */
export function useCopyFor(email: EmailDetail, individual: boolean): string | undefined {
  const { copy } = useEmailView().shown
  if (!individual) return undefined
  const chosen = email.recipients.find(({ position }) => position === copy) ?? email.recipients[0]
  return chosen?.address
}
