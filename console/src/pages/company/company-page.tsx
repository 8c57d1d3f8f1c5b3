import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '../../api/company.ts'
import { useMe } from '../../api/session.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Pending } from '../../parts/pending.tsx'
import { ALL, useCompany, useMayManage, useRole } from '../../shell/company.ts'
import { PageNotFound } from '../../shell/not-found.tsx'
import { CompanyRetention } from './company-retention.tsx'
import { Limits } from './limits.tsx'
import { Logo } from './logo.tsx'
import { ProblemWebhooks } from './problem-webhooks.tsx'

/** The settings of one company. */
export function CompanyPage() {
  const company = useCompany()
  return company === ALL ? <PageNotFound /> : <Settings company={company} />
}

function Settings({ company }: { company: string }) {
  const role = useRole()
  const mayManage = useMayManage()
  // Where no mail leaves, nobody looks for problems.
  const { delivery, mails } = useMe().installation
  const watches = delivery !== 'capture' || mails
  const query = useQuery(companyQuery(company))
  const { data } = query
  return (
    <>
      <PageHead title="Settings" about="They apply to the whole company." />
      {data === undefined ? (
        <Pending of={query} />
      ) : (
        <>
          <Logo of={data} mayChange={role === 'owner' || role === 'operator'} />
          <Limits of={data} mayChange={role === 'operator'} />
          <CompanyRetention company={company} />
          {watches && <ProblemWebhooks company={company} mayChange={mayManage} />}
        </>
      )}
    </>
  )
}
