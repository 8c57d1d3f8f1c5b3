import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Webhook } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { type WebhookDetail, webhooksQuery } from '../../api/webhooks.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PageLinks } from '../../parts/page-links.tsx'
import { useAddDialog } from '../../shell/add-dialog.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { AddWebhook } from './add-webhook.tsx'
import { WebhookState } from './webhook-state.tsx'

export function WebhooksPage() {
  const company = useCompany()
  const { after } = useSearch({ from: '/signed-in/c/$company/webhooks' })
  const { companies } = useMe()
  const query = useQuery(webhooksQuery(company, { after }))
  const adding = useAddDialog('Add webhook')
  const last = query.data?.data.at(-1)
  return (
    <>
      <PageHead title="Webhooks" about="Postroad sends events to your applications as they happen.">
        {adding?.button(query.data?.data.length === 0 ? 'default' : 'filled')}
      </PageHead>
      <ListTable
        query={query}
        rows={query.data?.data}
        keyOf={({ id }) => id}
        columns={[
          { head: 'URL', cell: (webhook) => <Endpoint of={webhook} /> },
          { head: 'Status', cell: (webhook) => <WebhookState of={webhook} /> },
          { head: 'Events', cell: ({ everything, events }) => (everything ? 'All' : events.join(', ')) },
          company === ALL && {
            head: 'Company',
            cell: ({ company }) => companies.find(({ id }) => id === company)?.name ?? company,
          },
        ]}
        empty={
          <Empty
            icon={Webhook}
            title={after === undefined ? 'No webhooks yet' : 'No more webhooks'}
            action={<NextStep otherwise={adding?.button()} />}
          >
            A webhook is a URL of your application. It gets a signed POST request when an email is delivered,
            bounces or is reported as spam, so your application does not have to poll.
            {company === ALL && companies.length > 1 && ' Choose a company to add a webhook.'}
          </Empty>
        }
      />
      <PageLinks
        links={[
          after !== undefined && ['Newest', {}],
          query.data?.more === true && last !== undefined && ['Older', { after: last.id }],
        ]}
      />
      {adding && <AddWebhook {...adding.dialog} />}
    </>
  )
}

function Endpoint({ of: { company, id, url, dialect, domain } }: { of: WebhookDetail }) {
  return (
    <>
      <AnchorLink to="/c/$company/webhooks/$id" params={{ company, id }} fw={600}>
        {url}
      </AnchorLink>
      <Text size="xs" c="dimmed">
        {dialect === 'json' ? 'JSON' : 'Event data'}
        {domain !== null && `, for ${domain}`}
      </Text>
    </>
  )
}
