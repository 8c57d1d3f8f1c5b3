/** The reports of receivers about a domain: the servers that send as it, and the encryption of sessions with its mail servers. */
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { dmarcPolicyWords } from '../../../../src/operate/dmarc-policy-words.ts'
import { type DmarcSummary, domainReportsQuery, type TlsResult } from '../../api/domain-reports.ts'
import { Copy } from '../../parts/copy.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Section } from '../../parts/section.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

export function DomainReports({ company, domain }: { company: string; domain: string }) {
  const query = useQuery(domainReportsQuery(company, domain))
  if (query.data === undefined) return <Pending of={query} />
  const { dmarc, tls, tlsUrl } = query.data
  return (
    <Stack gap="md">
      <Dmarc summary={dmarc} />
      <Tls results={tls} url={tlsUrl} />
    </Stack>
  )
}

function Dmarc({ summary }: { summary: DmarcSummary }) {
  const { since, days, reporters, policy, messages, passing, failing, unverified, sources, advice } = summary
  return (
    <Section
      title="DMARC reports"
      about={`What receivers report about mail from this domain since ${since}. A message passes with an aligned DKIM signature or with aligned SPF; p=quarantine and p=reject stop the others. Totals and advice count only reports with a valid signature of their sender.`}
    >
      <Alert variant="light" color={failing > 0 ? 'yellow' : 'blue'}>
        {advice}
      </Alert>
      {messages > 0 && (
        <Group gap="xl">
          <Figure name="Pass" value={passing} />
          <Figure name="Fail" value={failing} />
          <Figure name="Days" value={days} />
          <Figure name="Policy" value={dmarcPolicyWords(policy)} />
          <Figure name="Reporters" value={reporters.length} />
        </Group>
      )}
      {unverified.messages > 0 && <Unverified reports={unverified} />}
      <PagedList
        what="sources"
        find="Address or domain"
        textOf={({ source, domains }) => [source ?? '', ...domains].join(' ')}
        rows={sources}
        // The advice says that no report has arrived.
        empty={null}
        keyOf={({ source }) => source ?? 'others'}
        columns={[
          { head: 'Source', rowHead: true, cell: ({ source }) => source ?? 'Others' },
          { head: 'Domains', cell: ({ domains }) => <UntrustedText>{domains.join(', ')}</UntrustedText> },
          { head: 'Messages', right: true, cell: ({ messages: all }) => number(all) },
          { head: 'DKIM', right: true, cell: ({ dkim }) => number(dkim) },
          { head: 'SPF', right: true, cell: ({ spf }) => number(spf) },
          {
            head: 'Fail',
            right: true,
            cell: ({ failing: some }) => (
              <Text span size="sm" fw={some > 0 ? 600 : 400} c={some > 0 ? 'orange' : 'inherit'}>
                {number(some)}
              </Text>
            ),
          },
          {
            head: 'Stopped',
            right: true,
            cell: ({ quarantined, rejected }) => number(quarantined + rejected),
          },
          { head: 'Not verified', right: true, cell: ({ unverified: some }) => number(some) },
        ]}
      />
    </Section>
  )
}

/** Anybody can write a report in any name. */
function Unverified({ reports: { messages, failing, reporters } }: { reports: DmarcSummary['unverified'] }) {
  return (
    <Text size="sm">
      Not verified: {number(messages)} messages ({number(failing)} fail), in reports without a valid
      signature. Anybody may have written them in the name of{' '}
      <UntrustedText>{reporters.join(', ')}</UntrustedText>.
    </Text>
  )
}

function Tls({ results, url }: { results: readonly TlsResult[]; url: string | null }) {
  return (
    <Section
      title="TLS reports"
      about="TLS reports say whether other mail systems could encrypt their sessions with the mail servers of this domain (RFC 8460). Those systems send them to the address or URL in a TXT record at _smtp._tls."
    >
      {url === null ? <NoReports /> : <ReportsRecord url={url} />}
      <PagedList
        what="results"
        find="Host or result"
        textOf={({ host, result, source }) => [host ?? '', result ?? 'success', source ?? ''].join(' ')}
        rows={results}
        empty={<Nothing>No report has arrived.</Nothing>}
        keyOf={({ day, policy, result, host, source, reason }) =>
          [day, policy, result, host, source, reason].join(' ')
        }
        columns={[
          { head: 'Day', rowHead: true, cell: ({ day }) => day },
          {
            head: 'Policy',
            cell: ({ policy }) => POLICIES[policy] ?? <UntrustedText>{policy}</UntrustedText>,
          },
          {
            head: 'Result',
            cell: ({ result }) => (
              <Text span size="sm" c={result === null ? 'inherit' : 'orange'}>
                <UntrustedText>{result ?? 'success'}</UntrustedText>
              </Text>
            ),
          },
          { head: 'Server', cell: ({ host }) => <UntrustedText>{host ?? ''}</UntrustedText> },
          { head: 'From', cell: ({ source }) => <UntrustedText>{source ?? ''}</UntrustedText> },
          { head: 'Sessions', right: true, cell: ({ sessions }) => number(sessions) },
        ]}
      />
    </Section>
  )
}

/** The types of a policy (RFC 8460 4.2). */
const POLICIES: Readonly<Record<string, string>> = {
  sts: 'MTA-STS',
  tlsa: 'DANE',
  'no-policy-found': 'None',
}

function ReportsRecord({ url }: { url: string }) {
  const record = `v=TLSRPTv1; rua=${url}`
  return (
    <>
      <Text size="sm">Publish this record, and the reports arrive here over HTTPS.</Text>
      <Group gap="xs" wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere' }}>{record}</Code>
        <Copy value={record} what="the record" />
      </Group>
    </>
  )
}

/** The record must not name a URL without TLS (RFC 8460 3). */
function NoReports() {
  return (
    <Text size="sm">
      To receive them over HTTPS, set <Code>POSTROAD_PUBLIC_URL</Code> to the https URL at which others reach
      this service, and restart it: then this page shows the record.
    </Text>
  )
}

function Figure({ name, value }: { name: string; value: number | string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600}>{typeof value === 'number' ? number(value) : value}</Text>
    </div>
  )
}

function Nothing({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

const number = (value: number) => value.toLocaleString('en')
