/** The first hour: from the name of the company to the first message, then the steps that remain before real mail. */
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Me, useMe } from '../../api/session.ts'
import { setupQuery } from '../../api/start.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Pending } from '../../parts/pending.tsx'
import { useCompany } from '../../shell/company.ts'
import { FirstCompany, FirstMessage } from './first-message.tsx'
import { GoLive } from './go-live.tsx'

export function StartPage() {
  const { companies, installation, person } = useMe()
  const chosen = useCompany()
  // A message belongs to one company, so `all` falls back to the first.
  const company = companies.find(({ id }) => id === chosen) ?? companies[0]
  const { data: setup } = useQuery({ ...setupQuery(company?.id ?? ''), enabled: company !== undefined })
  const isDone = setup?.next === null
  const captured = installation.delivery === 'capture'
  return (
    <>
      <PageHead
        title="Get started"
        about={
          captured
            ? 'Capture mode: every message is composed, signed and kept here. No mail leaves this machine.'
            : isDone
              ? 'Mail leaves this machine.'
              : 'Mail leaves this machine. Send the first message to your own address.'
        }
      />
      <Stack gap="xl" maw={820}>
        {company !== undefined && <StepsOf key={company.id} company={company} />}
        {company === undefined && person.operator && (
          <>
            <FirstCompany />
            <GoLive company={null} operator />
          </>
        )}
      </Stack>
    </>
  )
}

function StepsOf({ company }: { company: Me['companies'][number] }) {
  const { installation, person } = useMe()
  const setup = useQuery(setupQuery(company.id))
  if (setup.data === undefined) return <Pending of={setup} />
  const { next } = setup.data
  // Captured mail may be sent from any domain, so one of its own is a step for later.
  const withDomain = installation.delivery !== 'capture' || next === 'domain' || next === 'records'
  return (
    <>
      <FirstMessage company={company} setup={setup.data} withDomain={withDomain} />
      <GoLive company={withDomain ? null : company.id} operator={person.operator} />
    </>
  )
}
