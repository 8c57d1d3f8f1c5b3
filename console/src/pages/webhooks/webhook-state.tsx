import { CircleCheck, CirclePause, Hourglass, TriangleAlert } from 'lucide-react'
import type { WebhookDetail } from '../../api/webhooks.ts'
import { ClockTime } from '../../parts/clock-time.tsx'
import { IconWord } from '../../parts/status.tsx'

/** Milliseconds for which an undelivered event is not yet reported as a delay. */
const SOON = 10_000

/** The state of a webhook in one word, and since when. */
export function WebhookState({ of }: { of: WebhookDetail }) {
  const { since, ...look } = lookOf(of)
  const note = since !== null && (
    // On a phone it takes a second line.
    <span style={{ whiteSpace: 'normal' }}>
      since <ClockTime at={since} />
    </span>
  )
  return <IconWord {...look} note={note} />
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
