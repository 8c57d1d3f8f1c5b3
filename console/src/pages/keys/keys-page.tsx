import { PageHead } from '../../parts/page-head.tsx'

export function KeysPage() {
  return <PageHead title="Keys" />
}
