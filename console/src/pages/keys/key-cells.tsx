import { Badge, Group, Text } from '@mantine/core'
import type { ApiKey } from '../../api/keys.ts'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { labelOf } from './scopes.ts'

export function Scopes({ of: { scopes } }: { of: ApiKey }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="default">
          {labelOf(scope)}
        </Badge>
      ))}
    </Group>
  )
}

/** The sending domain and the networks that a key is limited to. */
export function Bounds({ of: { domain, networks } }: { of: ApiKey }) {
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

export function End({ of: { revokedAt, expiresAt } }: { of: ApiKey }) {
  if (revokedAt !== null) {
    return (
      <Text size="sm">
        Revoked <Time at={revokedAt} />
      </Text>
    )
  }
  return <Time at={expiresAt} />
}

/** When the key was last used, and by which client. */
export function LastUse({ of: { lastUse } }: { of: ApiKey }) {
  if (lastUse === null) return <Text size="sm">Never</Text>
  const { at, address, client } = lastUse
  return (
    <>
      <Time at={at} />
      <Text size="xs" c="dimmed" maw={220} truncate title={client ?? undefined}>
        {address} {client !== null && <UntrustedText>{client}</UntrustedText>}
      </Text>
    </>
  )
}
