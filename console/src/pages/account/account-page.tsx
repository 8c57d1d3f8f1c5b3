import { PageHead } from '../../parts/page-head.tsx'

export function AccountPage() {
  return <PageHead title="Account" />
}
