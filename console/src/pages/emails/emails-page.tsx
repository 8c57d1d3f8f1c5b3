import { PageHead } from '../../parts/page-head.tsx'

export function EmailsPage() {
  return <PageHead title="Emails" />
}
