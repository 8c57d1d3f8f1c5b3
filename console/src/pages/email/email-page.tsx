/** One email: its status, its history and its content. */
import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { emailQuery, neighboursQuery } from '../../api/email.ts'
import { useLive } from '../../api/live.ts'
import { isMissing } from '../../api/queries.ts'
import { useIsCapture } from '../../api/session.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { Pending } from '../../parts/pending.tsx'
import { useCompany } from '../../shell/company.ts'
import { ObjectNotFound } from '../../shell/not-found.tsx'
import { useShortcuts } from '../../shell/shortcuts.ts'
import classes from './email.module.css'
import { EmailFacts } from './email-facts.tsx'
import { EmailHead } from './email-head.tsx'
import { EmailTabs } from './email-tabs.tsx'
import { EmailViewInAddress } from './email-view.tsx'
import { Recipients } from './recipients.tsx'
import { validateEmailPageSearch } from './search.ts'

export function EmailPage() {
  const company = useCompany()
  const { id } = useParams({ from: '/signed-in/c/$company/emails/$id' })
  const isCapture = useIsCapture()
  useLive(company)
  const email = useQuery(emailQuery(company, id))
  if (email.data === undefined && isMissing(email)) return <ObjectNotFound kind="email" id={id} />
  return (
    <Stack gap="md" component="article" aria-busy={email.isPending}>
      <Neighbours company={company} id={id} />
      {email.data === undefined ? (
        <Pending of={email} height={320} />
      ) : (
        <EmailViewInAddress>
          <EmailHead company={company} email={email.data} />
          <div className={isCapture ? `${classes.sides} ${classes.contentFirst}` : classes.sides}>
            <div className={classes.about}>
              <Recipients company={company} email={email.data} />
              <EmailFacts company={company} email={email.data} />
            </div>
            <EmailTabs company={company} email={email.data} />
          </div>
        </EmailViewInAddress>
      )}
    </Stack>
  )
}

/** Moves between emails with the keys of the list: `j` to the older email, `k` to the newer one. */
function Neighbours({ company, id }: { company: string; id: string }) {
  const { data } = useQuery(neighboursQuery(company, id))
  const navigate = useNavigate()
  const go = (to: string | null | undefined) => {
    if (!to) return
    void navigate({
      to: '/c/$company/emails/$id',
      params: { company, id: to },
      search: ({ tab }) => validateEmailPageSearch({ tab }),
    })
  }
  const { newer = null, older = null } = data ?? {}
  useShortcuts([
    { keys: 'j', does: 'Next email (older)', run: () => go(older) },
    { keys: 'k', does: 'Previous email (newer)', run: () => go(newer) },
    {
      keys: 'u',
      does: 'Back to the list',
      run: () => void navigate({ to: '/c/$company/emails', params: { company } }),
    },
  ])
  return (
    <Group justify="space-between" component="nav" aria-label="Newer and older emails">
      <AnchorLink to="/c/$company/emails" params={{ company }} size="sm">
        All emails
      </AnchorLink>
      <Group gap={4}>
        <IconButton
          icon={ChevronLeft}
          variant="default"
          label="Newer email (k)"
          disabled={newer === null}
          onClick={() => go(newer)}
        />
        <IconButton
          icon={ChevronRight}
          variant="default"
          label="Older email (j)"
          disabled={older === null}
          onClick={() => go(older)}
        />
      </Group>
    </Group>
  )
}
