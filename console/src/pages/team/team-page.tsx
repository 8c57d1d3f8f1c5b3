/** The people of a company; for operators who view all companies, everybody. */
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
            ? 'Everybody with an account on this installation.'
            : 'The people of this company and their roles.'
        }
      />
      {company === ALL ? <People /> : <CompanyTeam key={company} company={company} />}
    </>
  )
}
