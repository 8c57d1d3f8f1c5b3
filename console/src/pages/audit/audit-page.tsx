import { PageHead } from '../../parts/page-head.tsx'

export function AuditPage() {
  return <PageHead title="Audit" />
}
