/** Senders that never rest, and what each of them was answered. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from '../../support/api-client.ts'

/** Longest wait for an answer that has to come, in ms. */
const PATIENCE = 60_000

export class Load {
  readonly #api: ApiClient
  readonly #senders: Promise<void>[]
  /** Recipients of messages answered with 200, and of those answered with 503. */
  readonly accepted: string[] = []
  readonly refused: string[] = []
  /** Answers that are neither, or a 503 that is not as it should be. */
  readonly surprises: string[] = []
  #count = 0
  #over = false

  constructor(api: ApiClient, senders: number) {
    this.#api = api
    this.#senders = Array.from({ length: senders }, () => this.#send())
  }

  /** Resolves when as many more messages have been accepted, or refused. */
  async more(of: 'accepted' | 'refused', count: number): Promise<void> {
    const wanted = this[of].length + count
    for (const deadline = performance.now() + PATIENCE; this[of].length < wanted; await pause(10)) {
      if (performance.now() > deadline) {
        throw new Error(`not ${count} more ${of}; unexpected: ${this.surprises.slice(0, 3).join('; ')}`)
      }
    }
  }

  async stop(): Promise<void> {
    this.#over = true
    await Promise.all(this.#senders)
  }

  async #send(): Promise<void> {
    while (!this.#over) {
      const to = `n${this.#count++}@in.test`
      const email = { from: 'a@acme.test', to, subject: to, text: 'x' }
      try {
        const answer = await this.#api.send(email)
        if (answer.status === 200) this.accepted.push(to)
        else if (isBusy(answer)) this.refused.push(to)
        else this.surprises.push(`${answer.status} ${answer.text}`)
      } catch (error) {
        this.surprises.push(String(error))
      }
      await pause(5)
    }
  }
}

function isBusy({ status, body, headers }: ApiAnswer): boolean {
  return status === 503 && body.name === 'application_error' && /^\d+$/.test(headers.get('retry-after') ?? '')
}
