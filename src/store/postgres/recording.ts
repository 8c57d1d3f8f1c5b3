import { isEmailId } from '../../email/email-id.ts'
import type { AttemptRecord, RecipientRecord, RecordResult } from '../store.ts'
import { Batcher } from './batcher.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'
import { isRefusedData } from './faults.ts'
import type { StoreParts } from './parts.ts'
import { writeResults } from './record-statement.ts'

/** Bounds of one group: attempts, and octets, which only the first attempt may exceed. */
const MAX_ATTEMPTS = 100
const MAX_OCTETS = 8 * 1024 * 1024
/** Weight of an attempt and of one of its recipients, in addition to the dialogue and captured octets. */
const ATTEMPT_WEIGHT = 500
const RECIPIENT_WEIGHT = 300
const MAX_RUNNING = 2
const WORTHWHILE = 40

interface PendingRecord {
  attempt: AttemptRecord
  answer(recorded: RecordResult): void
  refuse(error: Error): void
}

/** Records the results of attempts, in groups. A record that fails does so alone. */
export class ResultRecording {
  readonly #database: Database
  readonly #changes: ChangeFeed
  readonly #batcher: Batcher<PendingRecord>

  constructor({ database, changes }: StoreParts) {
    this.#database = database
    this.#changes = changes
    this.#batcher = new Batcher({
      maxItems: MAX_ATTEMPTS,
      maxWeight: MAX_OCTETS,
      maxRunning: MAX_RUNNING,
      worthwhile: WORTHWHILE,
      weigh: ({ attempt }) =>
        ATTEMPT_WEIGHT +
        attempt.recipients.length * RECIPIENT_WEIGHT +
        attempt.dialogue.length +
        (attempt.captured?.byteLength ?? 0),
      run: (entries) => this.#group(entries),
    })
  }

  /** Fencing: a recipient that is not leased under the record's token is left alone, and named in `refused`. */
  record(attempt: AttemptRecord): Promise<RecordResult> {
    if (!isEmailId(attempt.emailId)) return Promise.resolve({ refused: positions(attempt.recipients) })
    return new Promise((answer, refuse) => this.#batcher.add({ attempt, answer, refuse }))
  }

  async idle(): Promise<void> {
    await this.#batcher.idle()
  }

  async #group(entries: PendingRecord[]): Promise<void> {
    try {
      await this.#write(entries)
    } catch (error) {
      if (entries.length > 1 && isRefusedData(error)) for (const entry of entries) await this.#group([entry])
      else for (const { refuse } of entries) refuse(error as Error)
    }
  }

  async #write(entries: PendingRecord[]): Promise<void> {
    const attempts = entries.map(({ attempt }) => attempt)
    const refused = attempts.map(({ recipients }) => new Set(positions(recipients)))
    await this.#once(attempts, refused)
    // A concurrent request to cancel keeps the first statement from its row; a second statement sees it.
    if (refused.some(({ size }) => size > 0)) {
      const rest = attempts.map((attempt, index) => {
        const recipients = attempt.recipients.filter(({ position }) => refused[index]!.has(position))
        return { ...attempt, recipients }
      })
      await this.#once(rest, refused)
    }
    for (const [index, { answer }] of entries.entries()) answer({ refused: [...refused[index]!] })
  }

  async #once(attempts: readonly AttemptRecord[], refused: readonly Set<number>[]): Promise<void> {
    const moved = await writeResults(this.#database, attempts)
    for (const { attempt, position } of moved) refused[attempt]!.delete(position)
    if (moved.some(({ suppressed }) => suppressed)) this.#changes.stopsChanged()
  }
}

function positions(recipients: readonly RecipientRecord[]): number[] {
  return recipients.map(({ position }) => position)
}
