import { PageHead } from '../../parts/page-head.tsx'

export function InstallationPage() {
  return <PageHead title="Installation" />
}
