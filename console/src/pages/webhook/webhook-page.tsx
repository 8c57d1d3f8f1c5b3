import { Alert, Button, Group, Skeleton, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CirclePause, Play, Trash2 } from 'lucide-react'
import { changeWebhook, removeWebhook, type WebhookDetail, webhookQuery } from '../../api/webhooks.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { WebhookState } from '../webhooks/webhook-state.tsx'
import { Attempts } from './attempts.tsx'
import { SendTest } from './send-test.tsx'
import { Settings } from './settings.tsx'
import { Verify } from './verify.tsx'

const HERE = '/signed-in/c/$company/webhooks/$id'

export function WebhookPage() {
  const { company, id } = useParams({ from: HERE })
  const { data, error, refetch } = useQuery(webhookQuery(company, id))
  if (!data) {
    return (
      <>
        <PageHead title="Webhook" />
        {error ? <ErrorAlert error={error} reset={() => void refetch()} /> : <Skeleton h={200} />}
      </>
    )
  }
  return <WebhookDetails of={data} />
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
      <Tabs
        value={tab ?? 'attempts'}
        keepMounted={false}
        onChange={(value) =>
          void navigate({
            search: {
              tab: value === 'test' || value === 'verify' || value === 'settings' ? value : undefined,
            },
          })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="attempts">Attempts</Tabs.Tab>
          {mayManage && <Tabs.Tab value="test">Test</Tabs.Tab>}
          <Tabs.Tab value="verify">Verify</Tabs.Tab>
          {mayManage && <Tabs.Tab value="settings">Settings</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="attempts">
          <Attempts of={webhook} mayManage={mayManage} />
        </Tabs.Panel>
        {mayManage && (
          <Tabs.Panel value="test">
            <SendTest of={webhook} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="verify">
          <Verify of={webhook} />
        </Tabs.Panel>
        {mayManage && (
          <Tabs.Panel value="settings">
            <Settings key={id} of={webhook} />
          </Tabs.Panel>
        )}
      </Tabs>
    </>
  )
}

function Actions({ of: { company, id, url, status } }: { of: WebhookDetail }) {
  const navigate = useNavigate()
  const isOn = status === 'enabled'
  const turn = () =>
    confirm({
      title: isOn ? 'Disable this webhook?' : 'Enable this webhook?',
      about: isOn
        ? 'It receives no events until it is enabled again.'
        : 'It receives events from now on. You can replay the events that it missed.',
      act: isOn ? 'Disable' : 'Enable',
      harmless: true,
      run: () => changeWebhook(company, id, { enabled: !isOn }),
    })
  const remove = () =>
    confirm({
      title: 'Remove this webhook?',
      about: `${url} receives no more events, and its attempts are deleted. This cannot be undone.`,
      act: 'Remove webhook',
      async run() {
        await removeWebhook(company, id)
        await navigate({ to: '/c/$company/webhooks', params: { company } })
      },
      done: 'The webhook was removed.',
    })
  return (
    <>
      <Button
        variant="default"
        leftSection={isOn ? <CirclePause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        onClick={turn}
      >
        {isOn ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" leftSection={<Trash2 size={16} aria-hidden />} onClick={remove}>
        Remove
      </Button>
    </>
  )
}
