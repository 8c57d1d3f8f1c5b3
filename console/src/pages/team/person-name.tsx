import { Avatar, Badge, Group, Text } from '@mantine/core'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'

/** A person in a list, with name and email address. */
export function PersonName({
  name,
  address,
  isYou = false,
}: {
  name: string
  address: string | null
  isYou?: boolean
}) {
  const shown = visible(name || address || 'First operator')
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar size={32} radius="xl" name={shown} color="road" alt="" visibleFrom="xs" />
      <div style={{ minWidth: 0 }}>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={550} truncate>
            <bdi>{shown}</bdi>
          </Text>
          {isYou && (
            <Badge size="xs" variant="default">
              you
            </Badge>
          )}
        </Group>
        {name !== '' && address !== null && (
          <Text size="xs" c="dimmed" truncate>
            <UntrustedText>{address}</UntrustedText>
          </Text>
        )}
      </div>
    </Group>
  )
}
