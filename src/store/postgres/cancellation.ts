import type { Canceled } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'
import { endRecipients } from './endings.ts'
import { isEmailId } from './rows.ts'

const HOLD = {
  name: 'hold-email',
  text: 'SELECT position, lease, cancel FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}
const REQUEST = {
  name: 'request-cancel',
  text: 'UPDATE queue SET cancel = true WHERE email = $1 AND lease > 0 AND NOT cancel',
}
const REQUESTED = {
  name: 'cancel-requests',
  text: 'SELECT DISTINCT email::text AS email FROM queue WHERE cancel',
}

/** Ends what waits at the operator's word; what is under way ends with its attempt, unless the attempt ends it. */
export class Cancellation {
  readonly #database: Database
  readonly #changes: ChangeFeed

  constructor({ database, changes }: { database: Database; changes: ChangeFeed }) {
    this.#database = database
    this.#changes = changes
  }

  async cancel(emailId: string, at: number): Promise<Canceled> {
    if (!isEmailId(emailId)) return { canceled: 0, sending: 0 }
    const done = await this.#database.transaction(async (session) => {
      // A result being written comes before or after, not in between.
      const live = await session.run<{ position: number; lease: number | null; cancel: boolean }>(HOLD, [
        emailId,
      ])
      // Nobody holds what is in quarantine (0).
      const waiting = live.filter(({ lease }) => lease === null || lease === 0)
      const sending = live.filter(({ lease, cancel }) => lease !== null && lease !== 0 && !cancel).length
      const endings = waiting.map(({ position }) => ({
        email: emailId,
        position,
        state: 'canceled' as const,
        at,
      }))
      await endRecipients(session, endings)
      if (sending > 0) await session.run(REQUEST, [emailId])
      return { canceled: waiting.length, sending }
    })
    if (done.canceled > 0) this.#changes.queueChanged()
    if (done.sending > 0) this.#changes.stopsChanged()
    return done
  }

  async requests(): Promise<string[]> {
    return (await this.#database.look<{ email: string }>(REQUESTED)).map(({ email }) => email)
  }
}
