import { Button, Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Webhook } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import { type WebhookDetail, webhooksQuery } from '../../api/webhooks.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { AddWebhook } from './add-webhook.tsx'
import { WebhookState } from './webhook-state.tsx'

export function WebhooksPage() {
  const company = useCompany()
  const { add, after } = useSearch({ from: '/signed-in/c/$company/webhooks' })
  const navigate = useNavigate({ from: '/c/$company/webhooks' })
  const { data, error, refetch } = useQuery(webhooksQuery(company, after))
  const mayAdd = useMayManage() && company !== ALL
  const setAdd = (open: boolean) =>
    navigate({ search: (before) => ({ ...before, add: open || undefined }), replace: true })
  const addButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdd(true)}>
      Add webhook
    </Button>
  )
  const last = data?.data.at(-1)
  return (
    <>
      <PageHead title="Webhooks" about="Postroad sends events to your applications as they happen.">
        {mayAdd && addButton}
      </PageHead>
      {error && <ErrorAlert error={error} reset={() => void refetch()} />}
      {!data && !error && <Skeleton h={160} />}
      {data && data.data.length > 0 && <WebhookTable webhooks={data.data} />}
      {data?.data.length === 0 && (
        <Empty icon={Webhook} title={after === undefined ? 'No webhooks yet' : 'No more webhooks'}>
          <p>
            A webhook is a URL of your application. It gets a signed POST request when an email is delivered,
            bounces or is reported as spam, so your application does not have to poll.
          </p>
          {mayAdd && addButton}
          {company === ALL && 'Choose a company to add a webhook.'}
        </Empty>
      )}
      {(after !== undefined || data?.more) && (
        <Group mt="md">
          {after !== undefined && (
            <AnchorLink to="/c/$company/webhooks" params={{ company }} search={{}}>
              Newest
            </AnchorLink>
          )}
          {data?.more && last && (
            <AnchorLink to="/c/$company/webhooks" params={{ company }} search={{ after: last.id }}>
              Older
            </AnchorLink>
          )}
        </Group>
      )}
      {mayAdd && <AddWebhook company={company} opened={add === true} close={() => setAdd(false)} />}
    </>
  )
}

function WebhookTable({ webhooks }: { webhooks: readonly WebhookDetail[] }) {
  const isAll = useCompany() === ALL
  const { companies } = useMe()
  return (
    <ListTable
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        { head: 'URL', cell: (webhook) => <Endpoint of={webhook} /> },
        { head: 'Status', cell: (webhook) => <WebhookState of={webhook} /> },
        { head: 'Events', cell: ({ everything, events }) => (everything ? 'All' : events.join(', ')) },
        isAll && {
          head: 'Company',
          cell: ({ company }) => companies.find(({ id }) => id === company)?.name ?? company,
        },
      ]}
    />
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
