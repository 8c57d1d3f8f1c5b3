import { ActionIcon, Badge, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useMe } from '../../api/session.ts'
import {
  type AllowedShown,
  removeAllowed,
  removeSuppression,
  type SuppressionShown,
} from '../../api/suppressions.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { Time } from '../../parts/time.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { TYPES } from './types.ts'

export function SuppressionTable({ entries }: { entries: readonly SuppressionShown[] }) {
  const company = useCompany()
  const { companies } = useMe()
  const mayManage = useMayManage()
  const remove = (entry: SuppressionShown) =>
    confirm({
      title: 'Send mail to this address again?',
      about:
        entry.type === 'unsubscribe' || entry.type === 'complaint'
          ? `The reader of ${entry.address} wants no mail. To send it all the same may be against the law, and harms how receivers see your domain.`
          : `Mail to ${entry.address} is sent again. If the address does not exist, each bounce harms how receivers see your domain.`,
      act: 'Remove from the list',
      run: () => removeSuppression(entry),
      done: `${entry.address} is off the list.`,
    })
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Why</Table.Th>
            {company === ALL && <Table.Th>Company</Table.Th>}
            <Table.Th>Added</Table.Th>
            {mayManage && (
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <bdi>{entry.address}</bdi>
              </Table.Td>
              <Table.Td>
                <Badge variant="default" tt="none" title={TYPES[entry.type].about}>
                  {TYPES[entry.type].word}
                </Badge>
              </Table.Td>
              <Table.Td>
                <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                  {entry.reason}
                </Text>
                {entry.tags !== null && (
                  <Text size="xs" c="dimmed">
                    Only mail tagged {entry.tags.join(', ')}
                  </Text>
                )}
                {entry.email !== null && (
                  <AnchorLink
                    size="xs"
                    to="/c/$company/emails/$id"
                    params={{ company: entry.company, id: entry.email }}
                  >
                    The email
                  </AnchorLink>
                )}
              </Table.Td>
              {company === ALL && (
                <Table.Td>{companies.find(({ id }) => id === entry.company)?.name ?? entry.company}</Table.Td>
              )}
              <Table.Td>
                <Time at={entry.createdAt} />
              </Table.Td>
              {mayManage && <Removal what={entry.address} onClick={() => remove(entry)} />}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

export function AllowedTable({ entries, company }: { entries: readonly AllowedShown[]; company: string }) {
  const mayManage = useMayManage()
  const remove = ({ value }: AllowedShown) =>
    confirm({
      title: 'Let bounces suppress it again?',
      about: `The next bounce of ${value} puts the address on the suppression list.`,
      act: 'Remove from the list',
      run: () => removeAllowed(company, value),
      done: `${value} is off the allow list.`,
    })
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address or domain</Table.Th>
            <Table.Th>Why</Table.Th>
            <Table.Th>Added</Table.Th>
            {mayManage && (
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.value}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <bdi>{entry.value}</bdi>
              </Table.Td>
              <Table.Td>{entry.reason}</Table.Td>
              <Table.Td>
                <Time at={entry.createdAt} />
              </Table.Td>
              {mayManage && <Removal what={entry.value} onClick={() => remove(entry)} />}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Removal({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Table.Td ta="right">
      <Tooltip label="Remove">
        <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={`Remove ${what}`}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Table.Td>
  )
}
