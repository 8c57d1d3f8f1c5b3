import { Inbox } from 'lucide-react'
import { Suspense } from 'react'
import { useIsCapture } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { later } from '../../parts/later.ts'
import { ALL, useMayManage } from '../../shell/company.ts'
import { NextStep, StepLink } from '../../shell/next-step.tsx'

/** Not part of the first view of a full list. */
const SmtpInbox = later(() => import('./smtp-inbox.tsx'), 'SmtpInbox')

export function NoEmails({ company }: { company: string }) {
  const maySend = useMayManage() && company !== ALL
  const captures = useIsCapture()
  return (
    <Empty
      icon={Inbox}
      title="No emails yet"
      action={<NextStep otherwise={maySend && <StepLink company={company} step="message" />} />}
    >
      The first email appears here as soon as it is accepted.
      <Suspense>{captures && <SmtpInbox company={company} />}</Suspense>
    </Empty>
  )
}
