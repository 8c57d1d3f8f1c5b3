/** The webhooks that get the problems of the company. */
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../api/session.ts'
import { addWebhook, allWebhooksQuery, type WebhookDetail } from '../../api/webhooks.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ExactInput } from '../../parts/exact-input.tsx'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'
import { WebhookState } from '../webhooks/webhook-state.tsx'

const EVENTS = ['problem.started', 'problem.ended']

/** A webhook for one domain gets only the problems of this domain. The form dialect has no word for problems. */
function getsProblems({ domain, dialect, everything, events }: WebhookDetail): boolean {
  const isMeant = everything || EVENTS.some((event) => events.includes(event))
  return domain === null && dialect === 'json' && isMeant
}

export function ProblemWebhooks({ company, mayChange }: { company: string; mayChange: boolean }) {
  const [opened, setOpened] = useState(false)
  const { data } = useQuery(allWebhooksQuery(company))
  const { installation, person } = useMe()
  const webhooks = data?.filter(getsProblems)
  return (
    <Section
      mt="md"
      title="Problem notices"
      about="Postroad sends a signed POST request to your URL when a problem begins, and when it is over: lost DNS records, a failing webhook, many bounces or complaints, waiting mail. Chat programs show the field “text”."
      action={
        mayChange && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setOpened(true)}
          >
            Add URL...
          </Button>
        )
      }
    >
      <ListTable
        label="Webhooks that get problems"
        rows={webhooks}
        keyOf={({ id }) => id}
        spacing="xs"
        columns={[
          {
            head: 'URL',
            cell: ({ id, url }) => (
              <AnchorLink to="/c/$company/webhooks/$id" params={{ company, id }}>
                {url}
              </AnchorLink>
            ),
          },
          { head: 'Status', cell: (webhook) => <WebhookState of={webhook} /> },
        ]}
        empty={
          <Text size="sm">
            No URL receives notices yet.{' '}
            {installation.mails
              ? 'People choose mail about problems under “Your account”.'
              : person.operator &&
                'If POSTROAD_SYSTEM_FROM is set, people can choose mail about problems under “Your account”.'}
          </Text>
        }
      />
      <AddUrl company={company} opened={opened} close={() => setOpened(false)} />
    </Section>
  )
}

function AddUrl({ company, opened, close }: DialogProps) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Tell a URL of problems"
      opened={opened}
      close={close}
      initial={{ url: '' }}
      submit={({ url }) => addWebhook(company, { url: url.trim(), dialect: 'json', events: EVENTS })}
      onDone={({ id }) =>
        navigate({ to: '/c/$company/webhooks/$id', params: { company, id }, search: { tab: 'test' } })
      }
      errorAt="url"
      valid={({ url }) => url.trim() !== ''}
      submitLabel="Add"
    >
      {({ field }) => (
        <ExactInput
          label="URL"
          description="The URL becomes a webhook. On its page you can send a test event, and see the attempts and the signing secret."
          placeholder="https://hooks.example.com/postroad"
          {...field('url')}
        />
      )}
    </FormDialog>
  )
}
