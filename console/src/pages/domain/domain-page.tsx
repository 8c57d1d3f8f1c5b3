import { PageHead } from '../../parts/page-head.tsx'

export function DomainPage() {
  return <PageHead title="Domain" />
}
