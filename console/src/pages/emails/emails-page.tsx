/** The list of accepted emails, newest first, updated live. */
import { Box, Skeleton, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { later } from '../../parts/later.ts'
import { LiveIndicator } from '../../parts/live-indicator.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useCompany } from '../../shell/company.ts'
import { EmailList } from './email-list.tsx'
import { Filters } from './filters.tsx'
import { type EmailsSearch, isNarrowed } from './search.ts'
import { useEmails } from './use-emails.ts'
import { isAtTop } from './use-new-emails.ts'

// Most lists have emails, so they load without what an empty one shows.
const NoEmails = later(() => import('./no-emails.tsx'), 'NoEmails')
const NothingFound = later(() => import('./nothing-found.tsx'), 'NothingFound')

export function EmailsPage() {
  const company = useCompany()
  const search = useSearch({ from: '/signed-in/c/$company/emails' })
  const navigate = useNavigate()
  const change = (to: EmailsSearch, replace = false) =>
    void navigate({ to: '/c/$company/emails', params: { company }, search: to, replace, resetScroll: true })
  const name = `${company} ${JSON.stringify(search)}`
  return (
    <>
      <PageHead title="Emails" about="Accepted emails, newest first.">
        <LiveIndicator company={company} />
      </PageHead>
      <Filters company={company} search={search} onChange={change} />
      <EmailResults key={name} company={company} name={name} search={search} onClear={() => change({})} />
    </>
  )
}

function EmailResults({
  company,
  name,
  search,
  onClear,
}: {
  company: string
  name: string
  search: EmailsSearch
  onClear: () => void
}) {
  const list = useEmails(company, search, isAtTop)
  if (list.emails.length > 0) return <EmailList company={company} name={name} list={list} />
  if (list.error !== null) return <ErrorAlert error={list.error} reset={list.again} />
  if (list.pending) return <Waiting />
  return (
    <Box mt="md">
      <Suspense fallback={<Waiting />}>
        {isNarrowed(search) ? (
          <NothingFound onClear={onClear} more={list.more} />
        ) : (
          <NoEmails company={company} />
        )}
      </Suspense>
    </Box>
  )
}

function Waiting() {
  return (
    <Stack gap={8} mt="md" aria-busy aria-label="Loading emails">
      {[...Array(12).keys()].map((row) => (
        <Skeleton key={row} h={36} />
      ))}
    </Stack>
  )
}
