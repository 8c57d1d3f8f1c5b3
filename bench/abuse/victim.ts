/** The victim: posts a small mail at fixed intervals, whether or not answers arrive. */
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../../harness/clock.ts'
import { HttpConnection } from '../load/http-connection.ts'
import { type PreparedText, preparedRequest, type RequestTarget } from '../message.ts'
import type { Statuses } from './order.ts'

/** Ms between two mails. */
const EVERY = 100

export interface VictimReport {
  statuses: Statuses
  /** Ms from when a mail was due to its answer, whatever it was. */
  latencies: number[]
  /** Numbers of the mails that were accepted. */
  accepted: number[]
}

export class Victim {
  readonly #port: number
  readonly #request: PreparedText
  readonly #free: HttpConnection[] = []
  readonly #secure: boolean

  /** `secure`: over TLS. */
  constructor(port: number, target: RequestTarget, { secure }: { secure: boolean }) {
    this.#port = port
    this.#secure = secure
    this.#request = preparedRequest(target)
  }

  /** Posts `count` mails, to the recipients numbered from `first` on. */
  async post(first: number, count: number): Promise<VictimReport> {
    const report: VictimReport = { statuses: {}, latencies: [], accepted: [] }
    const startedAt = now()
    const under: Promise<void>[] = []
    for (let index = 0; index < count; index++) {
      const dueAt = startedAt + index * EVERY
      await pause(Math.max(0, dueAt - now()))
      under.push(this.#send(first + index, dueAt, report))
    }
    await Promise.all(under)
    return report
  }

  close(): void {
    for (const connection of this.#free.splice(0)) connection.close()
  }

  async #send(number: number, dueAt: number, report: VictimReport): Promise<void> {
    let status: string
    try {
      const connection =
        this.#free.pop() ??
        (await HttpConnection.open('127.0.0.1', this.#port, this.#request.copy(), { secure: this.#secure }))
      const answer = await connection.send(number)
      this.#free.push(connection)
      status = String(answer.status)
      if (answer.status === 200) report.accepted.push(number)
    } catch {
      status = 'cut'
    }
    report.latencies.push(now() - dueAt)
    report.statuses[status] = (report.statuses[status] ?? 0) + 1
  }
}
