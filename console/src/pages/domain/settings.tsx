/** Who may send, as whom else, which way it leaves, and the end of a domain. */
import { Button, Group, Modal, MultiSelect, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import {
  domainsQuery,
  removeDomain,
  setDomainRelay,
  setSending,
  setSpeaksFor,
  type WholeDomain,
} from '../../api/domains.ts'
import { useMayManage, useRole } from '../../shell/company.ts'
import { stateOf } from '../domains/domain-state.tsx'
import { RelayActions, RelayShown, useDelivery } from '../domains/relay-form.tsx'

interface Props {
  company: string
  domain: WholeDomain
}

export function DomainSettings(props: Props) {
  return (
    <Stack>
      <Sending {...props} />
      <SpeaksFor {...props} />
      <WayOut {...props} />
      {useMayManage() && <Removal {...props} />}
    </Stack>
  )
}

function Section({ title, about, children }: { title: string; about: ReactNode; children?: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb={4}>
        {title}
      </Title>
      <Text size="sm" c="dimmed" component="div" mb={children ? 'sm' : 0}>
        {about}
      </Text>
      <Stack gap="xs" align="flex-start">
        {children}
      </Stack>
    </Paper>
  )
}

function Failure({ error }: { error: Error | null }) {
  return error === null ? null : (
    <Text role="alert" size="sm" c="red">
      {error.message}
    </Text>
  )
}

function Sending({ company, domain }: Props) {
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
              {domain.sending === 'suspended' ? 'End the suspension' : 'Let it send, whatever DNS says'}
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
      <Failure error={setting.error} />
    </Section>
  )
}

function SpeaksFor({ company, domain }: Props) {
  const mayManage = useMayManage()
  const { data } = useQuery(domainsQuery(company))
  const [chosen, setChosen] = useState(() => domain.speaksFor.map(({ id }) => id))
  const saving = useMutation({ mutationFn: () => setSpeaksFor(company, domain.id, chosen) })
  const known = [...(data?.domains ?? []), ...domain.speaksFor].filter(({ id }) => id !== domain.id)
  const options = [...new Map(known.map(({ id, name }) => [id, name]))]
  const changed =
    chosen.toSorted().join() !==
    domain.speaksFor
      .map(({ id }) => id)
      .toSorted()
      .join()
  return (
    <Section
      title="Senders at other domains"
      about={`Mail handed in for ${domain.name} may also be from addresses at these domains of the company. Clients that are set up with a subdomain, and write as somebody at the domain above, need it.`}
    >
      {mayManage ? (
        <>
          <MultiSelect
            aria-label="Senders at other domains"
            data={options.map(([value, label]) => ({ value, label }))}
            value={chosen}
            onChange={setChosen}
            placeholder={options.length === 0 ? 'The company has no other domain' : 'Choose domains'}
            disabled={options.length === 0}
            searchable
            w="100%"
            maw={480}
          />
          <Button size="xs" disabled={!changed} loading={saving.isPending} onClick={() => saving.mutate()}>
            Save
          </Button>
        </>
      ) : (
        <Text size="sm">{domain.speaksFor.map(({ name }) => name).join(', ') || 'None.'}</Text>
      )}
      <Failure error={saving.error} />
    </Section>
  )
}

function WayOut({ company, domain }: Props) {
  const operator = useRole() === 'operator'
  const delivery = useDelivery()
  const relay = domain.relay ?? domain.companyRelay
  return (
    <Section
      title="Which way mail leaves"
      about={
        operator
          ? 'A relay of its own may take the mail of this domain.'
          : 'Operators of this service choose.'
      }
    >
      {relay === null ? <Text size="sm">{delivery}</Text> : <RelayShown relay={relay} />}
      {domain.relay === null && domain.companyRelay !== null && (
        <Text size="sm" c="dimmed">
          It is that of the company.
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

function Removal({ company, domain }: Props) {
  const [opened, setOpened] = useState(false)
  return (
    <Section
      title="Remove this domain"
      about="For good: its DKIM keys are gone, and API keys for it alone are revoked. What waits to be sent from it fails; what was sent stays to be read."
    >
      <Button variant="light" color="red" size="xs" onClick={() => setOpened(true)}>
        Remove {domain.name} ...
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Remove ${domain.name}?`}>
        <ConfirmRemoval company={company} domain={domain} close={() => setOpened(false)} />
      </Modal>
    </Section>
  )
}

function ConfirmRemoval({ company, domain, close }: Props & { close: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const removing = useMutation({
    mutationFn: () => removeDomain(company, domain.id),
    onSuccess: () => navigate({ to: '/c/$company/domains', params: { company } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    removing.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
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
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Keep it
          </Button>
          <Button
            type="submit"
            color="red"
            loading={removing.isPending}
            disabled={typed.trim().toLowerCase() !== domain.name}
          >
            Remove for good
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
