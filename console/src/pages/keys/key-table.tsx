import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core'
import { EllipsisVertical } from 'lucide-react'
import type { ApiKey } from '../../api/keys.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { labelOf } from './scopes.ts'

export function KeyTable({
  keys,
  ofAll,
  rename,
  revoke,
}: {
  keys: readonly ApiKey[]
  /** The list has keys of several companies. */
  ofAll: boolean
  /** `null` if the person may not change keys. */
  rename: ((key: ApiKey) => void) | null
  revoke: ((key: ApiKey) => void) | null
}) {
  return (
    <ListTable
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          cell: ({ name }) => (
            <Text fw={600} size="sm">
              <UntrustedText>{name}</UntrustedText>
            </Text>
          ),
        },
        ofAll && { head: 'Company', cell: ({ company }) => <UntrustedText>{company.name}</UntrustedText> },
        { head: 'Permissions', cell: (key) => <Scopes of={key} /> },
        { head: 'From', cell: (key) => <Bounds of={key} /> },
        { head: 'Expires', cell: (key) => <End of={key} /> },
        { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          head: 'Actions',
          headHidden: true,
          right: true,
          cell: (key) =>
            rename &&
            revoke &&
            key.revokedAt === null && (
              <KeyActions of={key} rename={() => rename(key)} revoke={() => revoke(key)} />
            ),
        },
      ]}
    />
  )
}

function Scopes({ of: { scopes } }: { of: ApiKey }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="default" tt="none">
          {labelOf(scope)}
        </Badge>
      ))}
    </Group>
  )
}

/** The sending domain and the networks that a key is limited to. */
function Bounds({ of: { domain, networks } }: { of: ApiKey }) {
  return (
    <>
      <Text size="sm">{domain?.name ?? 'All domains'}</Text>
      {networks.length > 0 && (
        <Text size="xs" c="dimmed">
          used from {networks.join(', ')}
        </Text>
      )}
    </>
  )
}

function KeyActions({
  of: { name },
  rename,
  revoke,
}: {
  of: ApiKey
  rename: () => void
  revoke: () => void
}) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for key ${name}`}>
          <EllipsisVertical size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={rename}>Rename...</Menu.Item>
        <Menu.Item color="red" onClick={revoke}>
          Revoke...
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function End({ of: { revokedAt, expiresAt } }: { of: ApiKey }) {
  if (revokedAt !== null) {
    return (
      <Text size="sm">
        Revoked <Time at={revokedAt} />
      </Text>
    )
  }
  return <Time at={expiresAt} />
}
