import { Group, Text } from '@mantine/core'
import { CircleCheck, CirclePause, Hourglass, TriangleAlert } from 'lucide-react'
import type { WebhookDetail } from '../../api/webhooks.ts'
import { Time } from '../../parts/time.tsx'

/** Milliseconds for which an undelivered event is not yet reported as a delay. */
const SOON = 10_000

/** The state of a webhook in one word, and since when. */
export function WebhookState({ of }: { of: WebhookDetail }) {
  const { word, icon: Icon, color, since } = lookOf(of)
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
      <Icon size={16} color={`var(--mantine-color-${color}-text)`} style={{ flexShrink: 0 }} aria-hidden />
      <Text component="span" size="sm" fw={500}>
        {word}
        {since !== null && (
          <Text component="span" inherit c="dimmed" fw={400}>
            {' '}
            since <Time at={since} />
          </Text>
        )}
      </Text>
    </Group>
  )
}

function lookOf({ status, failingSince, disabledAt, behindSince }: WebhookDetail) {
  if (status === 'disabled') return { word: 'Disabled', icon: CirclePause, color: 'gray', since: disabledAt }
  if (failingSince !== null)
    return { word: 'Failing', icon: TriangleAlert, color: 'red', since: failingSince }
  if (behindSince !== null && Date.now() - Date.parse(behindSince) > SOON) {
    return { word: 'Behind', icon: Hourglass, color: 'orange', since: behindSince }
  }
  return { word: 'Enabled', icon: CircleCheck, color: 'road', since: null }
}
