import { useQuery } from '@tanstack/react-query'
import { retentionQuery, setCompanyRetention } from '../../api/domains.ts'
import { useRole } from '../../shell/company.ts'
import { ContentRetention } from '../domains/content-retention.tsx'

/** How long the company keeps the content of finished emails. */
export function CompanyRetention({ company }: { company: string }) {
  const role = useRole()
  const { data } = useQuery(retentionQuery(company))
  if (data === undefined) return null
  return (
    <ContentRetention
      mt="md"
      own={data.own}
      usual={data.installation}
      mayChange={role === 'owner' || role === 'operator'}
      set={(own) => setCompanyRetention(company, own)}
    />
  )
}
