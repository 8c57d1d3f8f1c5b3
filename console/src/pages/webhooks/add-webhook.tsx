import { Radio, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { addWebhook, type DialectName } from '../../api/webhooks.ts'
import type { NamedDomain } from '../../parts/domain-search.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { ExactInput } from '../../parts/exact-input.tsx'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'
import { EventChoice } from './event-choice.tsx'

export function AddWebhook({ company, opened, close }: DialogProps) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Add a webhook"
      size="lg"
      opened={opened}
      close={close}
      initial={{
        url: '',
        dialect: 'json' as DialectName,
        domain: null as NamedDomain | null,
        events: [] as string[],
        some: false,
      }}
      submit={({ url, dialect, domain, events, some }) =>
        addWebhook(company, {
          url: url.trim(),
          dialect,
          events: some ? events : [],
          ...(domain !== null && { domain: domain.id }),
        })
      }
      onDone={({ id }) =>
        navigate({ to: '/c/$company/webhooks/$id', params: { company, id }, search: { tab: 'verify' } })
      }
      valid={({ url, events, some }) => url.trim() !== '' && (!some || events.length > 0)}
      errorAt="url"
      submitLabel="Add webhook"
    >
      {({ field, values, set }) => (
        <>
          <ExactInput
            label="URL"
            description="Your application gets a POST request for each event, and has to answer with 2xx."
            placeholder="https://app.example.com/hooks/mail"
            {...field('url')}
          />
          <Radio.Group
            label="Format"
            value={values.dialect}
            onChange={(dialect) => set({ dialect: dialect as DialectName, events: [] })}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="json"
                label="JSON (Resend format)"
                description="Signed like Standard Webhooks and Svix."
              />
              <Radio
                value="form"
                label="Event data (Mailgun format)"
                description="Signed with the signing key of the company."
              />
            </Stack>
          </Radio.Group>
          <EventChoice {...values} onChange={set} />
          <DomainSelect
            company={company}
            label="Domain"
            description="Only events of mail from this domain."
            placeholder="All domains"
            clearable
            {...field('domain')}
          />
        </>
      )}
    </FormDialog>
  )
}
