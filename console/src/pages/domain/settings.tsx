/** The settings of a domain: sending, senders at other domains, delivery route, and removal. */
import { Button, Group, Modal, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  removeDomain,
  setDomainRelay,
  setSending,
  setSpeaksFor,
  type WholeDomain,
} from '../../api/domains.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { type NamedDomain, useDomainSearch } from '../../parts/domain-search.ts'
import { FormError } from '../../parts/form-error.tsx'
import { Section } from '../../parts/section.tsx'
import { useMayManage, useRole } from '../../shell/company.ts'
import { stateOf } from '../domains/domain-state.tsx'
import { RelayActions, RelaySummary, useDelivery } from '../domains/relay-form.tsx'

interface SettingsProps {
  company: string
  domain: WholeDomain
}

export function DomainSettings(props: SettingsProps) {
  return (
    <Stack>
      <Sending {...props} />
      <SpeaksFor {...props} />
      <WayOut {...props} />
      {useMayManage() && <Removal {...props} />}
    </Stack>
  )
}

function Sending({ company, domain }: SettingsProps) {
  const operator = useRole() === 'operator'
  const setting = useMutation({
    mutationFn: (sending: 'active' | 'suspended') => setSending(company, domain.id, sending),
  })
  return (
    <Section title="Sending" about={stateOf(domain).about}>
      {operator && (
        <Group>
          {domain.sending !== 'active' && (
            <Button
              variant="default"
              size="xs"
              loading={setting.isPending}
              onClick={() => setting.mutate('active')}
            >
              {domain.sending === 'suspended' ? 'End suspension' : 'Activate sending without DNS records'}
            </Button>
          )}
          {domain.sending !== 'suspended' && (
            <Button
              variant="light"
              color="red"
              size="xs"
              loading={setting.isPending}
              onClick={() => setting.mutate('suspended')}
            >
              Suspend sending
            </Button>
          )}
        </Group>
      )}
      <FormError error={setting.error} />
    </Section>
  )
}

function SpeaksFor({ company, domain }: SettingsProps) {
  const mayManage = useMayManage()
  const [chosen, setChosen] = useState<readonly NamedDomain[]>(domain.speaksFor)
  const search = useDomainSearch(company, chosen)
  const saving = useMutation({ mutationFn: () => setSpeaksFor(company, domain.id, idsOf(chosen)) })
  const options = search.field.data.filter(({ value }) => value !== domain.name)
  const changed = idsOf(chosen).toSorted().join() !== idsOf(domain.speaksFor).toSorted().join()
  return (
    <Section
      title="Senders at other domains"
      about={`Mail submitted for ${domain.name} may also come from addresses at these domains of the company. Clients need this if they are set up with a subdomain but send from addresses at its parent domain.`}
    >
      {mayManage ? (
        <>
          <MultiSelect
            aria-label="Senders at other domains"
            {...search.field}
            data={options}
            value={chosen.map(({ name }) => name)}
            onChange={(names) => setChosen(names.flatMap((name) => search.of(name) ?? []))}
            placeholder="Choose domains"
            w="100%"
            maw={480}
          />
          <Group>
            <Button size="xs" disabled={!changed} loading={saving.isPending} onClick={() => saving.mutate()}>
              Save
            </Button>
          </Group>
        </>
      ) : (
        <Text size="sm">{domain.speaksFor.map(({ name }) => name).join(', ') || 'None.'}</Text>
      )}
      <FormError error={saving.error} />
    </Section>
  )
}

const idsOf = (domains: readonly NamedDomain[]) => domains.map(({ id }) => id)

function WayOut({ company, domain }: SettingsProps) {
  const operator = useRole() === 'operator'
  const delivery = useDelivery()
  const relay = domain.relay ?? domain.companyRelay
  return (
    <Section
      title="Delivery route"
      about={operator ? 'This domain can have a relay of its own.' : 'Operators choose the route.'}
    >
      {relay === null ? <Text size="sm">{delivery}</Text> : <RelaySummary relay={relay} />}
      {domain.relay === null && domain.companyRelay !== null && (
        <Text size="sm" c="dimmed">
          This is the relay of the company.
        </Text>
      )}
      {operator && (
        <RelayActions
          relay={domain.relay}
          whose={domain.name}
          set={(relay) => setDomainRelay(company, domain.id, relay)}
        />
      )}
    </Section>
  )
}

function Removal({ company, domain }: SettingsProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Section
      title="Remove this domain"
      about="This cannot be undone. Its DKIM keys are deleted, and API keys limited to this domain are revoked. Mail waiting to be sent from it fails. Emails that were sent stay visible."
      action={
        <Button variant="light" color="red" size="xs" onClick={() => setOpened(true)}>
          Remove {domain.name}...
        </Button>
      }
    >
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Remove ${domain.name}?`}>
        <ConfirmRemoval company={company} domain={domain} close={() => setOpened(false)} />
      </Modal>
    </Section>
  )
}

function ConfirmRemoval({ company, domain, close }: SettingsProps & { close: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const removing = useMutation({
    mutationFn: () => removeDomain(company, domain.id),
    onSuccess: () => navigate({ to: '/c/$company/domains', params: { company } }),
  })
  return (
    <DialogForm
      submitLabel="Remove domain"
      mutation={removing}
      close={close}
      cancelLabel="Keep domain"
      valid={typed.trim().toLowerCase() === domain.name}
      destructive
      errorAtField
    >
      <TextInput
        label={`Type ${domain.name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={removing.error?.message}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
    </DialogForm>
  )
}
