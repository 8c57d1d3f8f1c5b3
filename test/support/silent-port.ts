/** A port at which connections stay unanswered, as behind a firewall that drops them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Listens, and then never accepts a connection: its thread is blocked. */
const DEAF = `
const { parentPort, workerData } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

export class SilentPort implements AsyncDisposable {
  readonly port: number
  readonly #worker: Worker
  readonly #fillers: Socket[]

  private constructor(port: number, worker: Worker, fillers: Socket[]) {
    this.port = port
    this.#worker = worker
    this.#fillers = fillers
  }

  static async start(host = '127.0.0.1', wanted = 0): Promise<SilentPort> {
    const worker = new Worker(DEAF, { eval: true, workerData: { host, port: wanted } })
    const [port] = (await once(worker, 'message')) as [number]
    const silent = new SilentPort(port, worker, [])
    // Fills the queue of the kernel.
    for (let n = 0; n < 20; n++) {
      const filler = connect(port, host).on('error', () => {})
      silent.#fillers.push(filler)
      const open = await Promise.race([once(filler, 'connect').then(() => true), delay(300, false)])
      if (!open) return silent
    }
    await silent[Symbol.asyncDispose]()
    throw new Error('the queue of connections does not fill up')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const filler of this.#fillers) filler.destroy()
    await this.#worker.terminate()
  }
}
