import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '../../api/company.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Pending } from '../../parts/pending.tsx'
import { ALL, useCompany, useRole } from '../../shell/company.ts'
import { PageNotFound } from '../../shell/not-found.tsx'
import { CompanyRetention } from './company-retention.tsx'
import { Limits } from './limits.tsx'
import { Logo } from './logo.tsx'

/** The settings of one company. */
export function CompanyPage() {
  const company = useCompany()
  return company === ALL ? <PageNotFound /> : <Settings company={company} />
}

function Settings({ company }: { company: string }) {
  const role = useRole()
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
        </>
      )}
    </>
  )
}
