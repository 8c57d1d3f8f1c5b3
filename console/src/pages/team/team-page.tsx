/** Who belongs to a company; for operators who look at all of them, everybody. */
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { CompanyTeam } from './company-team.tsx'
import { People } from './people.tsx'

export function TeamPage() {
  const company = useCompany()
  return (
    <>
      <PageHead
        title="Team"
        about={
          company === ALL
            ? 'Everybody who has an account on this installation.'
            : 'Who belongs to this company, and what they may do.'
        }
      />
      {company === ALL ? <People /> : <CompanyTeam key={company} company={company} />}
    </>
  )
}
