/** The settings of a domain: sending, senders at other domains, delivery route, return path, retention, and removal. */
import { Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  removeDomain,
  retentionQuery,
  setContentRetention,
  setDomainRelay,
  setReturnPath,
  setSending,
  setSpeaksFor,
  type WholeDomain,
} from '../../api/domains.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { type NamedDomain, useDomainSearch } from '../../parts/domain-search.ts'
import { EXACT } from '../../parts/form.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { useMayManage, useRole } from '../../shell/company.ts'
import { ContentRetention } from '../domains/content-retention.tsx'
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
      <ReturnPath {...props} />
      <WayOut {...props} />
      <Retention {...props} />
      {useMayManage() && <Removal {...props} />}
    </Stack>
  )
}

function Sending({ company, domain }: SettingsProps) {
  const operator = useRole() === 'operator'
  return (
    <Section
      title="Sending"
      about={stateOf(domain).about}
      action={
        operator && (
          <Group gap="xs" justify="flex-end">
            {domain.sending !== 'active' && (
              <ActionButton size="xs" run={() => setSending(company, domain.id, 'active')}>
                {domain.sending === 'suspended' ? 'End suspension' : 'Activate sending without DNS records'}
              </ActionButton>
            )}
            {domain.sending !== 'suspended' && (
              <ActionButton
                variant="light"
                color="red"
                size="xs"
                run={() => setSending(company, domain.id, 'suspended')}
                ask={{
                  title: `Suspend sending from ${domain.name}?`,
                  about:
                    'Postroad refuses new mail from this domain, and mail that is already accepted waits. Only operators can end the suspension.',
                  act: 'Suspend sending',
                }}
              >
                Suspend sending
              </ActionButton>
            )}
          </Group>
        )
      }
    />
  )
}

function SpeaksFor({ company, domain }: SettingsProps) {
  const mayManage = useMayManage()
  const [chosen, setChosen] = useState<readonly NamedDomain[]>(domain.speaksFor)
  const search = useDomainSearch(company, chosen)
  const options = search.field.data.filter(({ value }) => value !== domain.name)
  const changed = idsOf(chosen).toSorted().join() !== idsOf(domain.speaksFor).toSorted().join()
  return (
    <Section
      title="Senders at other domains"
      about={`Clients that are set up with ${domain.name} may also send from addresses at these domains of the company, such as its parent domain.`}
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
            <ActionButton
              variant="filled"
              size="xs"
              disabled={!changed}
              run={() => setSpeaksFor(company, domain.id, idsOf(chosen))}
            >
              Save
            </ActionButton>
          </Group>
        </>
      ) : (
        <Text size="sm">{domain.speaksFor.map(({ name }) => name).join(', ') || 'None.'}</Text>
      )}
    </Section>
  )
}

const idsOf = (domains: readonly NamedDomain[]) => domains.map(({ id }) => id)

function ReturnPath({ company, domain }: SettingsProps) {
  const mayManage = useMayManage()
  const [opened, setOpened] = useState(false)
  const { host, isChosen, used, problem } = domain.returnPath
  return (
    <Section
      title="Return path"
      about="Servers send bounces to the return path, the address in MAIL FROM. On a host of its own it identifies the email, so Postroad knows which one bounced."
      action={
        mayManage && (
          <Button variant="default" size="xs" onClick={() => setOpened(true)}>
            Change host...
          </Button>
        )
      }
    >
      <Text size="sm">
        {used ? `Bounces come back to ${host}.` : 'Bounces go to the address in From.'}
        {problem !== null && host !== null && ` ${host} is not in use: ${problem}.`}
      </Text>
      <FormDialog
        title="Change the return path"
        opened={opened}
        close={() => setOpened(false)}
        initial={{ host: isChosen ? (host ?? '') : '' }}
        submit={({ host }) => setReturnPath(company, domain.id, host.trim())}
        errorAt="host"
        submitLabel="Save"
      >
        {({ field }) => (
          <TextInput
            label="Host"
            description={`Bounces go to the address in From until DNS has the records of the new host. Leave it empty for bounces.${domain.name}.`}
            placeholder={`bounces.${domain.name}`}
            {...EXACT}
            data-autofocus
            {...field('host')}
          />
        )}
      </FormDialog>
    </Section>
  )
}

function WayOut({ company, domain }: SettingsProps) {
  const operator = useRole() === 'operator'
  const delivery = useDelivery()
  const relay = domain.relay ?? domain.companyRelay
  return (
    <Section
      title="Delivery route"
      about={operator ? 'This domain can have a relay of its own.' : 'Operators choose the route.'}
      action={
        operator && (
          <RelayActions
            relay={domain.relay}
            whose={domain.name}
            set={(relay) => setDomainRelay(company, domain.id, relay)}
          />
        )
      }
    >
      {relay === null ? <Text size="sm">{delivery}</Text> : <RelaySummary relay={relay} />}
      {domain.relay === null && domain.companyRelay !== null && (
        <Text size="sm" c="dimmed">
          This is the relay of the company.
        </Text>
      )}
    </Section>
  )
}

function Retention({ company, domain }: SettingsProps) {
  const { data } = useQuery(retentionQuery(company))
  const mayManage = useMayManage()
  return (
    <ContentRetention
      own={domain.contentRetention}
      usual={Math.min(data?.own ?? Number.POSITIVE_INFINITY, data?.installation ?? Number.POSITIVE_INFINITY)}
      mayChange={mayManage}
      set={(own) => setContentRetention(company, domain.id, own)}
    />
  )
}

function Removal({ company, domain }: SettingsProps) {
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  return (
    <Section
      title="Remove this domain"
      about="This cannot be undone. The DKIM keys of the domain are deleted, and API keys limited to this domain are revoked. Mail waiting to be sent from the domain fails. Emails that were sent stay visible."
      action={
        <Button variant="light" color="red" size="xs" onClick={() => setOpened(true)}>
          Remove {domain.name}...
        </Button>
      }
    >
      <FormDialog
        title={`Remove ${domain.name}?`}
        opened={opened}
        close={() => setOpened(false)}
        initial={{ typed: '' }}
        submit={() => removeDomain(company, domain.id)}
        onDone={() => navigate({ to: '/c/$company/domains', params: { company } })}
        errorAt="typed"
        valid={({ typed }) => typed.trim().toLowerCase() === domain.name}
        submitLabel="Remove domain"
        cancelLabel="Keep domain"
        destructive
      >
        {({ field }) => (
          <TextInput label={`Type ${domain.name} to confirm`} {...EXACT} data-autofocus {...field('typed')} />
        )}
      </FormDialog>
    </Section>
  )
}
