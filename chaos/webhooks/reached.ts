/** What reached the endpoints, by id, in a few dozen octets each. */
import { Column } from '../column.ts'
import type { Notice } from './notice.ts'

/** What came under one id. */
export interface Came {
  times: number
  /** At least once it was answered so that it need not come again. */
  taken: boolean
  /** `digestOf` what it told first. */
  body: number
}

/** Sentences that are kept to be shown; all are counted. */
const SHOWN = 30

export class Reached {
  /** By endpoint: the row of an id. */
  readonly #rows: Map<string, number>[]
  readonly #times = new Column(Uint16Array)
  readonly #taken = new Column(Uint8Array)
  readonly #body = new Column(Float64Array)
  /** An event has this id. */
  readonly #known = new Column(Uint8Array)
  #count = 0
  requests = 0
  /** What was wrong with requests by themselves. */
  readonly wrong: string[] = []
  wrongCount = 0

  constructor(endpoints: number) {
    this.#rows = Array.from({ length: endpoints }, () => new Map())
  }

  noticed({ endpoint, id, body, taken, wrong }: Notice): void {
    this.requests++
    for (const sentence of wrong) this.#wrong(sentence)
    const rows = this.#rows[endpoint]
    if (rows === undefined || id === '') return
    let row = rows.get(id)
    if (row === undefined) {
      row = this.#count++
      rows.set(id, row)
      this.#body.set(row, body)
    } else if (this.#body.get(row) !== body) {
      this.#wrong(`${id} came to endpoint ${endpoint} with another body than before`)
    }
    this.#times.set(row, Math.min(65_535, this.#times.get(row) + 1))
    if (taken) this.#taken.set(row, 1)
  }

  /** What came under an id that an event has; null: nothing. */
  came(endpoint: number, id: string): Came | null {
    const row = this.#rows[endpoint]?.get(id)
    if (row === undefined) return null
    this.#known.set(row, 1)
    return { times: this.#times.get(row), taken: this.#taken.get(row) > 0, body: this.#body.get(row) }
  }

  /** Ids that came and were asked for by nobody. */
  strangers(): string[] {
    return this.#rows.flatMap((rows, endpoint) => {
      const unknown = [...rows].filter(([, row]) => this.#known.get(row) === 0)
      return unknown.map(([id]) => `${id} at endpoint ${endpoint}`)
    })
  }

  #wrong(sentence: string): void {
    this.wrongCount++
    if (this.wrong.length < SHOWN) this.wrong.push(sentence.slice(0, 500))
  }
}
