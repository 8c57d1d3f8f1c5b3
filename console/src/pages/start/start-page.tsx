import { PageHead } from '../../parts/page-head.tsx'

export function StartPage() {
  return <PageHead title="Start" />
}
