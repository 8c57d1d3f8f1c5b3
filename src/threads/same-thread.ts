import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads'
import type { ThreadEvents } from './supervised-thread.ts'

/** Answers the messages that come through the port, until that is closed. */
export type Serve = (port: MessagePort) => void

/**
 * Does the work of a `SupervisedThread` in the thread that posts it, for programs that end after a few messages: a
 * thread would cost them more than its work.
 */
export class SameThread<To, From> {
  readonly #load: () => Promise<Serve>
  readonly #events: ThreadEvents<To, From>
  #channel: MessageChannel | null = null

  constructor(load: () => Promise<Serve>, events: ThreadEvents<To, From>) {
    this.#load = load
    this.#events = events
  }

  get running(): MessageChannel | null {
    return this.#channel
  }

  start(): void {
    if (this.#channel !== null) return
    const channel = new MessageChannel()
    this.#channel = channel
    const answer = (message: To, moved: Transferable[] = []) => channel.port1.postMessage(message, moved)
    channel.port1.on('message', (said: From) => this.#events.message(said, answer))
    void this.#serve(channel)
  }

  post(message: To, moved: Transferable[] = []): void {
    this.start()
    this.#channel!.port1.postMessage(message, moved)
  }

  ref(): void {
    this.#channel?.port1.ref()
  }

  unref(): void {
    this.#channel?.port1.unref()
  }

  async terminate(): Promise<void> {
    const channel = this.#channel
    if (channel === null) return
    this.#channel = null
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    channel.port2.once('close', () => resolve())
    channel.port2.ref()
    channel.port1.close()
    await closed
  }

  async #serve(channel: MessageChannel): Promise<void> {
    try {
      const serve = await this.#load()
      if (this.#channel !== channel) return
      serve(channel.port2)
      // The other port decides whether the process goes on.
      channel.port2.unref()
    } catch (error) {
      if (this.#channel !== channel) return
      this.#channel = null
      channel.port1.close()
      this.#events.ended(error, 1)
    }
  }
}
