/** Whether every event of the log reached the endpoints that want it, and nothing else did. */
import type { LogEntry } from '../../src/email/company-event.ts'
import { isOfEmail } from '../../src/email/event-notice.ts'
import { NoticeReader } from '../../src/events/notice-reader.ts'
import { isReportedPerRecipient } from '../../src/events/notices/types.ts'
import { messageId } from '../../src/events/webhooks/message-id.ts'
import { payload } from '../../src/events/webhooks/sign.ts'
import { subjectOf } from '../../src/events/webhooks/subject.ts'
import type { Store } from '../../src/store/store.ts'
import { PUBLIC_URL } from '../settings.ts'
import type { Endpoint } from './endpoints.ts'
import { digestOf } from './notice.ts'
import type { Reached } from './reached.ts'

export interface WebhookReport {
  endpoints: number
  /** Tellings that had to be made: of each event to each endpoint that wants it. */
  wanted: number
  /** Requests that came whole, and tellings that came more than once. */
  requests: number
  again: number
  /** Sentences; the first ones. */
  lost: string[]
  lostCount: number
  invented: string[]
  inventedCount: number
  wrong: string[]
  wrongCount: number
}

const PAGE = 1_000
const SHOWN = 30

export class ToldCheck {
  readonly #reached: Reached
  readonly #endpoints: number
  readonly #lost: string[] = []
  readonly #wrong: string[] = []
  #wanted = 0
  #again = 0

  constructor(reached: Reached, endpoints: number) {
    this.#reached = reached
    this.#endpoints = endpoints
  }

  /** This endpoint was to be told this under this id; `what` names it for people. */
  expect(endpoint: number, id: string, body: string, what: string): void {
    this.#wanted++
    const came = this.#reached.came(endpoint, id)
    if (came === null) {
      this.#lost.push(`${what} never reached endpoint ${endpoint}`)
      return
    }
    if (came.times > 1) this.#again++
    if (!came.taken)
      this.#lost.push(`${what} reached endpoint ${endpoint} ${came.times} times and was never taken`)
    if (came.body !== digestOf(body))
      this.#wrong.push(`${what} reached endpoint ${endpoint} as something else`)
  }

  /** When all that was to be told was expected. */
  report(): WebhookReport {
    const { requests, wrong, wrongCount } = this.#reached
    const invented = this.#reached.strangers()
    return {
      endpoints: this.#endpoints,
      wanted: this.#wanted,
      requests,
      again: this.#again,
      lost: this.#lost.slice(0, SHOWN),
      lostCount: this.#lost.length,
      invented: invented.slice(0, SHOWN),
      inventedCount: invented.length,
      wrong: [...this.#wrong, ...wrong].slice(0, SHOWN),
      wrongCount: this.#wrong.length + wrongCount,
    }
  }
}

/** Holds the log of a company behind the number `begunAfter` against what reached its endpoints. */
export async function checkTold(
  store: Store,
  companyId: string,
  endpoints: readonly Endpoint[],
  reached: Reached,
  begunAfter: number,
): Promise<WebhookReport> {
  const check = new ToldCheck(reached, endpoints.length)
  const teller = new NoticeReader(store)
  for (let cursor = begunAfter; ; ) {
    const page = await store.entriesAfter(cursor, { companyId }, PAGE)
    for await (const some of teller.readAll(page.events)) {
      for (const notice of some) {
        for (const [index, { id, dialect, types }] of endpoints.entries()) {
          if (types.length > 0 && !types.includes(notice.event.type)) continue
          const isForEach = isOfEmail(notice) && isReportedPerRecipient(dialect, notice)
          const each = isForEach ? teller.readAllParts(notice) : [[notice]]
          for await (const parts of each) {
            for (const part of parts) {
              const body = payload(dialect, part, PUBLIC_URL)
              if (body === null) continue
              const its = dialect === 'json' ? messageId(id, { ...part.event, ...subjectOf(part) }) : part.id
              check.expect(index, its, JSON.stringify(body), named(part.event))
            }
          }
        }
      }
    }
    if (page.cursor <= cursor) return check.report()
    cursor = page.cursor
  }
}

function named({ number, type, emailId, address }: LogEntry): string {
  return `event ${number} (${type} of ${emailId}${address === null ? '' : ` to ${address}`})`
}
