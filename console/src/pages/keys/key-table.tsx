import { Badge, Button, Group, Menu, Table, Text } from '@mantine/core'
import { EllipsisVertical } from 'lucide-react'
import type { ApiKey } from '../../api/keys.ts'
import { Time } from '../../parts/time.tsx'
import { labelOf } from './scopes.ts'

export function KeyTable({
  keys,
  ofAll,
  rename,
  revoke,
}: {
  keys: readonly ApiKey[]
  /** Of several companies. */
  ofAll: boolean
  /** Null: nothing may be changed. */
  rename: ((key: ApiKey) => void) | null
  revoke: ((key: ApiKey) => void) | null
}) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            {ofAll && <Table.Th>Company</Table.Th>}
            <Table.Th>May</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id}>
              <Table.Td fw={600}>
                <bdi>{key.name}</bdi>
              </Table.Td>
              {ofAll && <Table.Td>{key.company.name}</Table.Td>}
              <Table.Td>
                <Group gap={4}>
                  {key.scopes.map((scope) => (
                    <Badge key={scope} variant="default" tt="none">
                      {labelOf(scope)}
                    </Badge>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{key.domain?.name ?? 'Every domain'}</Text>
                {key.networks.length > 0 && (
                  <Text size="xs" c="dimmed">
                    used from {key.networks.join(', ')}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <End of={key} />
              </Table.Td>
              <Table.Td>
                <Time at={key.createdAt} />
              </Table.Td>
              <Table.Td ta="right">
                {rename && revoke && key.revokedAt === null && (
                  <Menu position="bottom-end" withinPortal>
                    <Menu.Target>
                      <Button
                        variant="subtle"
                        color="gray"
                        size="compact-sm"
                        aria-label={`Actions of the key ${key.name}`}
                      >
                        <EllipsisVertical size={16} aria-hidden />
                      </Button>
                    </Menu.Target>
                    <Menu.Dropdown>
                      <Menu.Item onClick={() => rename(key)}>Rename ...</Menu.Item>
                      <Menu.Item color="red" onClick={() => revoke(key)}>
                        Revoke ...
                      </Menu.Item>
                    </Menu.Dropdown>
                  </Menu>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
