/** Where records are entered: the DNS provider, found by the name servers of the zone, with the steps there. */
import { Anchor, Collapse, Group, List, Stack, Switch } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { DomainZone, WholeDomain } from '../../api/domains.ts'
import { CopyText } from '../../parts/copy.tsx'
import { Section } from '../../parts/section.tsx'
import type { RecordFormChoice } from './use-record-form.ts'

type Provider = NonNullable<DomainZone['provider']>

/** `zoneFile`: all records, as lines of one; null: not known yet. */
export function ProviderSteps({
  domain,
  choice: { found, zone, full, setFull },
  zoneFile,
}: {
  domain: WholeDomain
  choice: RecordFormChoice
  zoneFile: string | null
}) {
  const provider = found?.provider ?? null
  const [chosen, setOpen] = useState<boolean | null>(null)
  const isOpen = chosen ?? domain.status !== 'verified'
  return (
    <Section
      compact
      title={provider === null ? 'The records in DNS' : `The records at ${provider.name}`}
      about={aboutOf(domain, found)}
    >
      {provider !== null && (
        <div>
          <Anchor
            component="button"
            type="button"
            size="sm"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide the steps' : `Show the steps at ${provider.name}`}
          </Anchor>
          <Collapse expanded={isOpen}>
            <Steps provider={provider} zone={zone ?? domain.name} full={full} />
          </Collapse>
        </div>
      )}
      <Group justify="space-between" align="flex-end">
        {zone === null ? (
          <span />
        ) : (
          <Switch
            label="Full names"
            description={provider === null && namesNote(zone, full)}
            checked={full}
            onChange={({ currentTarget }) => setFull(currentTarget.checked)}
          />
        )}
        <CopyText value={zoneFile} label="Copy as zone file" />
      </Group>
    </Section>
  )
}

function aboutOf({ name }: WholeDomain, found: DomainZone | undefined): string {
  if (found === undefined) return `Looking for the DNS provider of ${name}...`
  const { zone, nameServers, provider } = found
  if (zone === null) return `DNS does not say which servers hold ${name}, so its provider is not known.`
  const servers = `The name servers of ${zone} are ${nameServers.join(', ')}`
  return provider === null ? `${servers}. Sign in where they are run, often at the registrar.` : `${servers}.`
}

function namesNote(zone: string, full: boolean): string {
  return full
    ? `Most providers append ${zone} to each name: leave it out there.`
    : `Names are shown without ${zone}, which most providers append.`
}

function Steps({ provider, zone, full }: { provider: Provider; zone: string; full: boolean }) {
  const { name, url, steps, notes } = provider
  return (
    <Stack gap="xs" mt="xs">
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>
          <Anchor href={url} target="_blank" rel="noopener noreferrer" inherit underline="always">
            <Group component="span" gap={4} display="inline-flex">
              Sign in to {name} <ExternalLink size={14} aria-hidden />
            </Group>
          </Anchor>
          .
        </List.Item>
        {steps.map((step) => (
          <List.Item key={step}>{quoted(step)}</List.Item>
        ))}
        <List.Item>Copy type, name and value of each record below into the form, and save it.</List.Item>
      </List>
      <List size="sm" spacing={4}>
        {[...formNotes(provider, zone, full), ...notes].map((note) => (
          <List.Item key={note}>{quoted(note)}</List.Item>
        ))}
      </List>
    </Stack>
  )
}

/** Peculiarities of the form, in sentences. */
function formNotes(
  { name, apex, endsHosts, quotesText, joinsPriority }: Provider,
  zone: string,
  full: boolean,
): string[] {
  const self = apex === '' ? 'no name at all' : `"${apex}"`
  return [
    full
      ? `${name} appends ${zone} to names: leave it out of the full names below, and enter ${self} for ${zone} itself.`
      : `${name} appends ${zone} to names, so they are shown without it, and ${zone} itself is ${self}.`,
    ...(endsHosts ? ['A value that is a host name ends with a dot, as shown.'] : []),
    ...(quotesText
      ? ['The value of a TXT record is in double quotes, in several strings if it is long, as shown.']
      : []),
    ...(joinsPriority ? ['The value of an MX record begins with its priority, as shown.'] : []),
  ]
}

/** Replaces straight quotes with the typographic quotes of the rest of the page. */
function quoted(text: string): string {
  return text.replace(/"([^"]*)"/g, '“$1”')
}
