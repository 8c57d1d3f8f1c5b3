import { Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addWebhook, type DialectName } from '../../api/webhooks.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import type { NamedDomain } from '../../parts/domain-search.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { EventChoice } from './event-choice.tsx'

export function AddWebhook({
  company,
  opened,
  close,
}: {
  company: string
  opened: boolean
  close: () => void
}) {
  return (
    <Modal opened={opened} onClose={close} title="Add a webhook" size="lg">
      <Form company={company} close={close} />
    </Modal>
  )
}

function Form({ company, close }: { company: string; close: () => void }) {
  const navigate = useNavigate()
  const [url, setUrl] = useState('')
  const [dialect, setDialect] = useState<DialectName>('json')
  const [domain, setDomain] = useState<NamedDomain | null>(null)
  const [chosen, setChosen] = useState<{ events: string[]; some: boolean }>({ events: [], some: false })
  const adding = useMutation({
    mutationFn: () =>
      addWebhook(company, {
        url: url.trim(),
        dialect,
        events: chosen.some ? chosen.events : [],
        ...(domain !== null && { domain: domain.id }),
      }),
    onSuccess: (id) =>
      navigate({ to: '/c/$company/webhooks/$id', params: { company, id }, search: { tab: 'verify' } }),
  })
  return (
    <DialogForm
      submitLabel="Add webhook"
      mutation={adding}
      close={close}
      valid={url.trim() !== '' && (!chosen.some || chosen.events.length > 0)}
    >
      <TextInput
        label="URL"
        description="Your application gets a POST request for each event, and has to answer with 2xx."
        placeholder="https://app.example.com/hooks/mail"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        required
      />
      <Radio.Group
        label="Format"
        value={dialect}
        onChange={(value) => {
          setDialect(value as DialectName)
          setChosen({ events: [], some: chosen.some })
        }}
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
      <EventChoice
        dialect={dialect}
        value={chosen.events}
        some={chosen.some}
        onChange={(events, some) => setChosen({ events, some })}
      />
      <DomainSelect
        company={company}
        label="Domain"
        description="Only events of mail from this domain."
        placeholder="All domains"
        value={domain}
        onChange={setDomain}
        clearable
      />
    </DialogForm>
  )
}
