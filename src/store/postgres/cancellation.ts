import type { Canceled } from '../store.ts'
import { apply, decided } from './apply.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'
import { factsOf, type Place } from './facts.ts'
import { isEmailId } from './rows.ts'

/** A result being written comes before or after, not in between. */
const HOLD = {
  name: 'hold-email',
  text: 'SELECT email::text AS email, position FROM queue WHERE email = $1 ORDER BY position FOR UPDATE',
}
const REQUESTED = {
  name: 'cancel-requests',
  text: 'SELECT DISTINCT email::text AS email FROM queue WHERE cancel',
}

/** Ends what waits at the operator's word; what is being sent ends with its attempt, unless the attempt ends it. */
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
      const live = await factsOf(session, await session.run<Place>(HOLD, [emailId]))
      const all = decided(live, () => ({ kind: 'cancel', at }))
      await apply(session, all, at)
      const canceled = all.filter(({ decision }) => decision.change?.state === 'canceled').length
      return { canceled, sending: all.length - canceled }
    })
    if (done.canceled > 0) this.#changes.queueChanged()
    if (done.sending > 0) this.#changes.stopsChanged()
    return done
  }

  async requests(): Promise<string[]> {
    return (await this.#database.look<{ email: string }>(REQUESTED)).map(({ email }) => email)
  }
}
