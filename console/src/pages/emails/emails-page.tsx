/** The list of accepted emails, newest first, updated live. */
import { Box, Skeleton, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { isRefusal } from '../../api/client.ts'
import { useIsCapture } from '../../api/session.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { later } from '../../parts/later.ts'
import { LiveIndicator } from '../../parts/live-indicator.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useCompany } from '../../shell/company.ts'
import { EmailList } from './email-list.tsx'
import classes from './emails.module.css'
import { Filters } from './filters.tsx'
import { type EmailsSearch, isNarrowed } from './search.ts'
import { useEmails } from './use-emails.ts'
import { isAtTop } from './use-new-emails.ts'

// Most lists have emails, so they load without what an empty one shows.
const NoEmails = later(() => import('./no-emails.tsx'), 'NoEmails')
const EmailPane = later(() => import('../email/email-pane.tsx'), 'EmailPane')
const ExportResults = later(() => import('./export-results.tsx'), 'ExportResults')
const InboxActions = later(() => import('./inbox-actions.tsx'), 'InboxActions')
const NothingFound = later(() => import('./nothing-found.tsx'), 'NothingFound')

export function EmailsPage() {
  const company = useCompany()
  const captures = useIsCapture()
  const { open, ...search } = useSearch({ from: '/signed-in/c/$company/emails' })
  const navigate = useNavigate()
  const change = (to: EmailsSearch, replace = false) =>
    void navigate({ to: '/c/$company/emails', params: { company }, search: to, replace, resetScroll: true })
  const name = `${company} ${JSON.stringify(search)}`
  return (
    <>
      <PageHead
        title="Emails"
        about={captures ? 'Captured emails: none leaves this machine.' : 'Accepted emails, newest first.'}
      >
        <LiveIndicator company={company} />
        <Suspense>{captures && <InboxActions company={company} search={search} />}</Suspense>
        <Suspense>
          <ExportResults company={company} search={search} />
        </Suspense>
      </PageHead>
      <Filters company={company} search={search} onChange={change} />
      <EmailResults
        key={name}
        company={company}
        name={name}
        search={search}
        open={open ?? null}
        onOpen={(email) =>
          void navigate({
            to: '/c/$company/emails',
            params: { company },
            search: email === null ? search : { ...search, open: email },
            // The browser's Back button closes the email, whatever was shown in its place.
            replace: open !== undefined,
            resetScroll: false,
          })
        }
        onClear={() => change({})}
      />
    </>
  )
}

function EmailResults({
  company,
  name,
  search,
  open,
  onOpen,
  onClear,
}: {
  company: string
  name: string
  search: EmailsSearch
  /** The email beside the list. */
  open: string | null
  onOpen: (email: string | null) => void
  onClear: () => void
}) {
  const list = useEmails(company, search, isAtTop)
  const hasRoom = useMediaQuery('(min-width: 80em)', false, { getInitialValueInEffect: false })
  if (list.emails.length > 0) {
    const isOpen = hasRoom && open !== null
    return (
      <div className={isOpen ? classes.split : undefined}>
        <EmailList
          company={company}
          name={name}
          search={search}
          list={list}
          open={isOpen ? open : null}
          onOpen={hasRoom ? onOpen : null}
        />
        {isOpen && (
          <Suspense fallback={<Skeleton h={320} />}>
            <EmailPane company={company} id={open} onClose={() => onOpen(null)} />
          </Suspense>
        )}
      </div>
    )
  }
  if (list.error !== null && !(search.q && isRefusal(list.error)))
    return <ErrorAlert error={list.error} reset={list.again} />
  if (list.pending) return <Waiting />
  return (
    <Box mt="md">
      <Suspense fallback={<Waiting />}>
        {isNarrowed(search) ? (
          <NothingFound company={company} search={search} list={list} onClear={onClear} />
        ) : (
          <NoEmails company={company} />
        )}
      </Suspense>
    </Box>
  )
}

function Waiting() {
  return (
    <Stack gap={8} mt="md" role="status" aria-busy aria-label="Loading emails">
      {[...Array(12).keys()].map((row) => (
        <Skeleton key={row} h={36} />
      ))}
    </Stack>
  )
}
