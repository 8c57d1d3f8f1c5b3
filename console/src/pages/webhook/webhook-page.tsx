import { Alert, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CirclePause, Play, Trash2 } from 'lucide-react'
import { isMissing } from '../../api/queries.ts'
import { changeWebhook, removeWebhook, type WebhookDetail, webhookQuery } from '../../api/webhooks.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { ObjectNotFound } from '../../shell/not-found.tsx'
import { WebhookState } from '../webhooks/webhook-state.tsx'
import { Attempts } from './attempts.tsx'
import { SendTest } from './send-test.tsx'
import { Settings } from './settings.tsx'
import { Verify } from './verify.tsx'

const HERE = '/signed-in/c/$company/webhooks/$id'

export function WebhookPage() {
  const { company, id } = useParams({ from: HERE })
  const query = useQuery(webhookQuery(company, id))
  if (query.data) return <WebhookDetails of={query.data} />
  if (isMissing(query)) return <ObjectNotFound kind="webhook" id={id} />
  return (
    <>
      <PageHead title="Webhook" />
      <Pending of={query} />
    </>
  )
}

function WebhookDetails({ of: webhook }: { of: WebhookDetail }) {
  const { company, id, url, domain, dialect, everything, events, status, disabledReason, createdAt } = webhook
  const { tab } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/webhooks/$id' })
  const mayManage = useMayManage()
  return (
    <>
      <AnchorLink size="sm" to="/c/$company/webhooks" params={{ company }}>
        All webhooks
      </AnchorLink>
      <PageHead title="Webhook" about={<span style={{ overflowWrap: 'anywhere' }}>{url}</span>}>
        {mayManage && <Actions of={webhook} />}
      </PageHead>
      <Group mb="md" gap="lg">
        <WebhookState of={webhook} />
        <Text size="sm">
          {everything ? 'All events' : events.join(', ')}
          {domain !== null && ` for ${domain}`}, as {dialect === 'json' ? 'JSON' : 'event data'}
        </Text>
        <Text size="sm" c="dimmed">
          Created <Time at={createdAt} />
        </Text>
      </Group>
      {status === 'disabled' && (
        <Alert color="orange" variant="light" mb="md" title="This webhook is disabled">
          {disabledReason ?? 'It was disabled manually.'} You can replay the events of this period once it is
          enabled again.
        </Alert>
      )}
      <PageTabs
        shown={tab}
        onShow={(tab) => void navigate({ search: { tab } })}
        tabs={[
          { label: 'Attempts', content: <Attempts of={webhook} mayManage={mayManage} /> },
          mayManage && { name: 'test', label: 'Test', content: <SendTest of={webhook} /> },
          { name: 'verify', label: 'Verify', content: <Verify of={webhook} /> },
          mayManage && { name: 'settings', label: 'Settings', content: <Settings key={id} of={webhook} /> },
        ]}
      />
    </>
  )
}

function Actions({ of: { company, id, url, status } }: { of: WebhookDetail }) {
  const navigate = useNavigate()
  const isOn = status === 'enabled'
  return (
    <>
      <ActionButton
        leftSection={isOn ? <CirclePause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        ask={{
          title: isOn ? 'Disable this webhook?' : 'Enable this webhook?',
          about: isOn
            ? 'It receives no events until it is enabled again.'
            : 'It receives events from now on. You can replay the events that it missed.',
          act: isOn ? 'Disable' : 'Enable',
          harmless: true,
        }}
        run={() => changeWebhook(company, id, { enabled: !isOn })}
      >
        {isOn ? 'Disable' : 'Enable'}
      </ActionButton>
      <ActionButton
        leftSection={<Trash2 size={16} aria-hidden />}
        ask={{
          title: 'Remove this webhook?',
          about: `${url} receives no more events, and its attempts are deleted. This cannot be undone.`,
          act: 'Remove webhook',
        }}
        run={async () => {
          await removeWebhook(company, id)
          await navigate({ to: '/c/$company/webhooks', params: { company } })
        }}
        done="The webhook was removed."
      >
        Remove
      </ActionButton>
    </>
  )
}
