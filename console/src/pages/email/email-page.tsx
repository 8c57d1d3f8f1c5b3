import { PageHead } from '../../parts/page-head.tsx'

export function EmailPage() {
  return <PageHead title="Email" />
}
