import { ActionIcon, Badge, Text, Tooltip } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import {
  type AllowedItem,
  removeAllowed,
  removeSuppression,
  type SuppressionItem,
} from '../../api/suppressions.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { TYPES } from './types.ts'

export function SuppressionTable({ entries }: { entries: readonly SuppressionItem[] }) {
  const company = useCompany()
  const { companies } = useMe()
  const mayManage = useMayManage()
  const remove = (entry: SuppressionItem) =>
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
  return (
    <ListTable
      rows={entries}
      keyOf={({ id }) => id}
      spacing="xs"
      columns={[
        { head: 'Address', cell: ({ address }) => <UntrustedText>{address}</UntrustedText> },
        { head: 'Type', cell: ({ type }) => <Type of={type} /> },
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
          cell: (entry) => <Removal what={entry.address} onClick={() => remove(entry)} />,
        },
      ]}
    />
  )
}

function Type({ of }: { of: SuppressionItem['type'] }) {
  return (
    <Badge variant="default" tt="none" title={TYPES[of].about}>
      {TYPES[of].word}
    </Badge>
  )
}

function Reason({ of: { reason, tags, email, company } }: { of: SuppressionItem }) {
  return (
    <>
      <Text size="sm" lineClamp={2}>
        <UntrustedText>{reason}</UntrustedText>
      </Text>
      {tags !== null && (
        <Text size="xs" c="dimmed">
          Only mail tagged <UntrustedText>{tags.join(', ')}</UntrustedText>
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

export function AllowedTable({ entries, company }: { entries: readonly AllowedItem[]; company: string }) {
  const mayManage = useMayManage()
  const remove = ({ value }: AllowedItem) =>
    confirm({
      title: 'Remove from the allow list?',
      about: `The next bounce of ${value} adds the address to the suppression list.`,
      act: 'Remove from the list',
      run: () => removeAllowed(company, value),
      done: `${value} was removed from the allow list.`,
    })
  return (
    <ListTable
      rows={entries}
      keyOf={({ value }) => value}
      spacing="xs"
      columns={[
        { head: 'Address or domain', cell: ({ value }) => <bdi>{value}</bdi> },
        { head: 'Reason', cell: ({ reason }) => <UntrustedText>{reason ?? ''}</UntrustedText> },
        { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
        mayManage && {
          head: 'Actions',
          headHidden: true,
          right: true,
          cell: (entry) => <Removal what={entry.value} onClick={() => remove(entry)} />,
        },
      ]}
    />
  )
}

function Removal({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Tooltip label="Remove">
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={`Remove ${what}`}>
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
