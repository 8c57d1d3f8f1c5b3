/** Actions on captured emails alone: they can be deleted, and marked as unread. */
import { Trash2 } from 'lucide-react'
import { deleteEmail, type EmailDetail } from '../../api/email.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { deletionOf } from '../emails/deletion.ts'
import { setRead } from '../emails/read-marks.ts'

interface CapturedProps {
  company: string
  email: EmailDetail
  /** Leaves the email, which is gone or no longer read. */
  onLeave: () => void
}

const ASK = {
  title: 'Delete this email?',
  about: deletionOf(1),
  act: 'Delete email',
}

export function DeleteButton(props: CapturedProps) {
  return (
    <ActionButton size="xs" leftSection={<Trash2 size={16} aria-hidden />} ask={ASK} {...deletion(props)}>
      Delete
    </ActionButton>
  )
}

/** Beside the list, these are the keys of the list. `isDeletable`: the person may delete the email, and no delivery is left. */
export function CapturedKeys({ isDeletable, ...props }: CapturedProps & { isDeletable: boolean }) {
  useShortcuts([
    {
      keys: 'Delete',
      does: 'Delete the email',
      run: () => {
        if (isDeletable) void confirm({ ...ASK, ...deletion(props) })
      },
    },
    {
      keys: 'U',
      does: 'Mark the email as unread, and go back to the list',
      run: () => {
        const { id, company } = props.email
        setRead({ id, company: company.id }, false)
        props.onLeave()
      },
    },
  ])
  return null
}

function deletion({ company, email: { id }, onLeave }: CapturedProps) {
  return { run: () => deleteEmail(company, id).then(onLeave), done: 'The email was deleted.' }
}
