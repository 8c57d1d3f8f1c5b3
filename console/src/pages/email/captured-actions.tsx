/** Actions for captured emails only: delete, and mark as unread. */
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
  /** Leaves the email for the list, after the email was deleted or marked as unread. */
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

/** The keyboard shortcuts of an email on its own page; beside the list, those of the list do the same. `isDeletable`: the person may delete the email, and no delivery is left. */
export function CapturedEmailShortcuts({ isDeletable, ...props }: CapturedProps & { isDeletable: boolean }) {
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
