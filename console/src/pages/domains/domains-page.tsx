import { PageHead } from '../../parts/page-head.tsx'

export function DomainsPage() {
  return <PageHead title="Domains" />
}
