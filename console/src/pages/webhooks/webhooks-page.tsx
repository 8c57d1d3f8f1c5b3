import { PageHead } from '../../parts/page-head.tsx'

export function WebhooksPage() {
  return <PageHead title="Webhooks" />
}
