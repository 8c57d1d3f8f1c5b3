/** A receiver of webhooks in a process of its own. */
import { PinnedProcess } from '../service/pinned-process.ts'
import type { ReceiverOrder, ReceiverReport } from './order.ts'

/** Milliseconds without a webhook after which a round is given up. */
const PATIENCE = 30_000

export class Receiver implements AsyncDisposable {
  readonly url: string
  readonly #process: PinnedProcess

  private constructor(process: PinnedProcess, port: number) {
    this.#process = process
    this.url = `http://127.0.0.1:${port}/hook`
  }

  /** `hang`: it accepts requests and answers none. */
  static async start(cpus: string, { hang = false } = {}): Promise<Receiver> {
    const process = new PinnedProcess(cpus, new URL('./receiver-process.ts', import.meta.url))
    const { port } = await process.ask({ listen: { hang } } satisfies ReceiverOrder)
    return new Receiver(process, port!)
  }

  /** Counts webhooks from now on: `heard` resolves when `count` of them have arrived. */
  async expect(count: number, secret: string): Promise<void> {
    await this.#process.ask({ count, secret, patience: PATIENCE } satisfies ReceiverOrder)
  }

  /** Rejects unless all expected webhooks have arrived, with valid signatures. */
  async heard(expected: number): Promise<ReceiverReport> {
    const { report } = await this.#process.hear()
    const { arrived, doubled, wrong } = report as ReceiverReport
    if (arrived - doubled === expected && wrong === 0) return report as ReceiverReport
    throw new Error(
      `${expected} webhooks were expected: ${arrived} arrived, ${doubled} of them repeated; ${wrong} signatures are wrong`,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop()
  }
}
