import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Ban, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { useMe } from '../../api/session.ts'
import {
  type AllowListItem,
  allowListQuery,
  removeAllowed,
  removeSuppression,
  type SuppressionItem,
  suppressionsQuery,
} from '../../api/suppressions.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ChoiceBox } from '../../parts/choice-box.tsx'
import { Clamped } from '../../parts/clamped.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageLinks } from '../../parts/page-links.tsx'
import { useRowSelection } from '../../parts/row-selection.ts'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useMayManage } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { SuppressionChoiceBar } from './suppression-choice-bar.tsx'
import { TYPES } from './types.ts'

const HERE = '/signed-in/c/$company/suppressions'

const askToRemove = (entry: SuppressionItem) =>
  confirm({
    title: 'Send mail to this address again?',
    about:
      entry.type === 'unsubscribe' || entry.type === 'complaint'
        ? `The recipient at ${entry.address} asked for no more mail. Sending anyway may be illegal, and harms the reputation of your domain.`
        : `Mail to ${entry.address} is sent again. If the address does not exist, each bounce harms the reputation of your domain.`,
    act: 'Remove from the list',
    run: () => removeSuppression(entry),
    done: `${entry.address} was removed from the list.`,
  })

export function SuppressionTable({ company }: { company: string }) {
  const { term, type, domain, after, before } = useSearch({ from: HERE })
  const query = useQuery(suppressionsQuery(company, { term, type, domain, after, before }))
  const { companies } = useMe()
  const mayManage = useMayManage()
  const entries = query.data?.data ?? []
  const chosen = useRowSelection(entries)
  const { set: setChosen } = chosen
  const mayChoose = mayManage && company !== ALL
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter finds other entries
  useEffect(() => setChosen([]), [company, term, type, domain, setChosen])
  return (
    <>
      <ListTable
        query={query}
        rows={query.data?.data}
        keyOf={({ id }) => id}
        spacing="xs"
        columns={[
          {
            head: 'Address',
            cell: ({ id, address, type, domain }) => (
              <Group wrap="nowrap" gap={4}>
                {mayChoose && (
                  <ChoiceBox
                    label={`Select ${address}, ${TYPES[type].word}${domain === null ? '' : `, ${domain}`}`}
                    checked={chosen.ids.has(id)}
                    onChoose={(isRange) => chosen.toggle(id, isRange)}
                  />
                )}
                <Text span size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
                  <UntrustedText>{address}</UntrustedText>
                </Text>
              </Group>
            ),
          },
          { head: 'Type', cell: ({ type }) => <Type of={type} /> },
          { head: 'Stops mail from', cell: (entry) => <Scope of={entry} /> },
          { head: 'Reason', cell: (entry) => <Reason of={entry} /> },
          company === ALL && {
            head: 'Company',
            cell: (entry) => companies.find(({ id }) => id === entry.company)?.name ?? entry.company,
          },
          { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          mayManage && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (entry) => <Removal what={entry.address} onClick={() => askToRemove(entry)} />,
          },
        ]}
        empty={
          term !== undefined || type !== undefined || domain !== undefined ? (
            <Empty icon={Ban} title="No matching addresses" />
          ) : (
            <Empty icon={Ban} title="No suppressed addresses" action={<NextStep />}>
              Postroad adds an address if it does not exist, or if its recipient reports spam or unsubscribes.
              You can import a list from another service as CSV.
            </Empty>
          )
        }
      />
      {chosen.ids.size > 0 && (
        <SuppressionChoiceBar
          company={company}
          filter={{ term, type, domain }}
          entries={entries}
          hasMore={Boolean(query.data?.next ?? query.data?.previous)}
          chosen={chosen}
        />
      )}
      <Pages of={query.data} />
    </>
  )
}

/** Links to the page before and the page after. */
function Pages({ of }: { of: { previous: string | null; next: string | null } | undefined }) {
  const { list, term, type, domain } = useSearch({ from: HERE })
  const { previous = null, next = null } = of ?? {}
  const links = [
    previous !== null && (['Previous page', { list, term, type, domain, before: previous }] as const),
    next !== null && (['Next page', { list, term, type, domain, after: next }] as const),
  ]
  return <PageLinks links={links} />
}

function Type({ of }: { of: SuppressionItem['type'] }) {
  return (
    <Badge variant="default" miw="max-content" title={TYPES[of].about}>
      {TYPES[of].word}
    </Badge>
  )
}

/** Before the domain whose mail led to the entry. */
const CAME_FROM: Readonly<Record<SuppressionItem['type'], string>> = {
  bounce: 'Bounced from',
  complaint: 'Complained about mail from',
  unsubscribe: 'Unsubscribed from mail of',
  manual: 'Added for',
}

/** The mail that the entry stops, and the domain on whose list it is. */
function Scope({ of: { type, domain, ofDomainOnly } }: { of: SuppressionItem }) {
  if (ofDomainOnly) return <>{domain ?? 'A removed domain'}</>
  return (
    <>
      All domains
      {domain !== null && (
        <Text size="xs" c="dimmed">
          {CAME_FROM[type]} {domain}
        </Text>
      )}
    </>
  )
}

function Reason({ of: { reason, tags, email, company } }: { of: SuppressionItem }) {
  return (
    <>
      <Text component="div" size="sm">
        <Clamped>
          <UntrustedText>{reason}</UntrustedText>
        </Clamped>
      </Text>
      {tags !== null && (
        <Text component="div" size="xs" c="dimmed">
          <Clamped>
            Only mail tagged <UntrustedText>{tags.join(', ')}</UntrustedText>
          </Clamped>
        </Text>
      )}
      {email !== null && (
        <AnchorLink size="xs" to="/c/$company/emails/$id" params={{ company, id: email }}>
          View email
        </AnchorLink>
      )}
    </>
  )
}

export function AllowListTable({ company }: { company: string }) {
  const { term, domain, after, before } = useSearch({ from: HERE })
  const query = useQuery(allowListQuery(company, { term, domain, after, before }))
  const mayManage = useMayManage()
  const askToRemove = (entry: AllowListItem) => {
    const { value } = entry
    return confirm({
      title: 'Remove from the allow list?',
      about: `The next bounce of ${value} adds the address to the suppression list.`,
      act: 'Remove from the list',
      run: () => removeAllowed(company, entry),
      done: `${value} was removed from the allow list.`,
    })
  }
  return (
    <>
      <ListTable
        query={query}
        rows={query.data?.data}
        keyOf={({ value, list }) => `${value} ${list}`}
        spacing="xs"
        columns={[
          { head: 'Address or domain', cell: ({ value }) => <bdi>{value}</bdi> },
          { head: 'Listed for', cell: (entry) => <ListOf of={entry} /> },
          { head: 'Reason', cell: ({ reason }) => <UntrustedText>{reason ?? ''}</UntrustedText> },
          { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          mayManage && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (entry) => <Removal what={entry.value} onClick={() => askToRemove(entry)} />,
          },
        ]}
        empty={
          <Empty icon={Ban} title="The allow list is empty" action={<NextStep />}>
            Add addresses or domains that exist, although their servers sometimes refuse mail.
          </Empty>
        }
      />
      <Pages of={query.data} />
    </>
  )
}

function ListOf({ of: { list, domain } }: { of: AllowListItem }) {
  return <>{list === 'company' ? 'The company' : (domain ?? 'A removed domain')}</>
}

function Removal({ what, onClick }: { what: string; onClick: () => void }) {
  return <IconButton icon={Trash2} label="Remove" name={`Remove ${what}`} onClick={onClick} />
}
