import { PageHead } from '../../parts/page-head.tsx'

export function SuppressionsPage() {
  return <PageHead title="Suppressions" />
}
