import { MAX_AHEAD } from '../../src/email/queued-email.ts'
import { readScheduledAt } from '../../src/http/json/emails/scheduled-at.ts'
import { Refusal } from '../../src/intake/refusal.ts'
import { assert, type FuzzTarget, unlessRefused, words } from '../target.ts'

const NOW = Date.UTC(2026, 10, 22, 13, 55, 12, 345)

/** Times of `scheduled_at`, phrases among them: what is taken is a time, and not too far ahead. */
export const phrase: FuzzTarget = {
  name: 'phrase',
  about: 'scheduled_at, as ISO 8601 and as a phrase',
  seeds: [
    '2026-11-23T10:00:00+01:00',
    'in 1 min',
    'tomorrow at 9am',
    'Friday at 3pm ET',
    'in 2 days and 3 hours at 8:30am PST',
    'Mon, 23 Nov 2026 12:00:00 GMT',
    'next monday at 10:00 (UTC+2)',
  ],
  tokens: [
    ...words('in at next last ago and or from to until noon midnight am pm 1 9 12 30 99999 1/2 half a an'),
    ...words('second minutes hours days weeks months years monday sunday jan february dec'),
    ...words('UTC EST +02:00 -1 : . , - / ( ) ü 一'),
    ' ',
  ],
  run(input) {
    const at = unlessRefused(() => readScheduledAt(input.toString('utf8'), NOW), Refusal)
    if (at === undefined) return
    assert(Number.isInteger(at), 'it is no time')
    assert(at <= NOW + MAX_AHEAD, 'it is too far ahead')
  },
}
