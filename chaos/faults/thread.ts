/**
 * Death of one thread inside a node. A signal would end the whole process, and the product has no door for this: the debugger's
 * protocol, switched on for these runs only, reaches every worker thread and has it end itself.
 */
import type { FaultMaker, Stage } from '../stage.ts'

/** Two ways for a thread to die: without a word, or by an error nobody catches. */
const DEATHS = ['process.exit(7)', 'setImmediate(() => { throw new Error("chaos") })'] as const

interface Worker {
  sessionId: string
  url: string
}

export function threadFaults(stage: Stage): FaultMaker[] {
  const { random, log } = stage
  const strike = async () => {
    const nodes = stage.nodes.filter(
      ({ inspector, stopped, url }) => inspector !== null && !stopped && url !== null,
    )
    if (nodes.length === 0) return
    const node = random.pick(nodes)
    const life = node.life?.name ?? ''
    const session = await Debugger.open(node.inspector!)
    if (session === null) return
    try {
      const workers = await session.workers()
      if (workers.length === 0) return
      const worker = random.pick(workers)
      const death = random.pick(DEATHS)
      // The thread may be gone before its death is confirmed; what follows from it may come at once.
      const fault = log.begin('thread', [node.name], `${life} ${worker.url.split('/').at(-1)}: ${death}`)
      session.evaluate(worker, death)
      if (await session.gone(worker)) fault.hits++
      log.end(fault)
    } finally {
      session.close()
    }
  }
  return [{ kind: 'thread', weight: 6, strike }]
}

/** Ms to wait for the debugger, which belongs to a process that may be killed at any time. */
const PATIENCE = 3_000

class Debugger {
  readonly #socket: WebSocket
  readonly #workers = new Map<string, Worker>()
  readonly #gone = new Map<string, () => void>()
  #enabled = Promise.withResolvers<void>()
  #id = 1

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)))
  }

  /** Null when it cannot be reached. */
  static async open(url: string): Promise<Debugger | null> {
    const socket = new WebSocket(url)
    const opened = new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true))
      socket.addEventListener('error', () => resolve(false))
      setTimeout(() => resolve(false), PATIENCE).unref()
    })
    if (await opened) return new Debugger(socket)
    socket.close()
    return null
  }

  /** The threads there are now. */
  async workers(): Promise<Worker[]> {
    this.#send('NodeWorker.enable', { waitForDebuggerOnStart: false })
    await Promise.race([this.#enabled.promise, patience()])
    return [...this.#workers.values()]
  }

  evaluate({ sessionId }: Worker, expression: string): void {
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
    this.#send('NodeWorker.sendMessageToWorker', { sessionId, message })
  }

  /** True when the thread has ended. */
  async gone({ sessionId }: Worker): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#gone.set(sessionId, () => resolve(true))
    if (!this.#workers.has(sessionId)) return true
    return await Promise.race([promise, patience().then(() => false)])
  }

  close(): void {
    this.#socket.close()
  }

  #send(method: string, params: object): void {
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ id: this.#id++, method, params }))
  }

  #hear(text: string): void {
    const { id, method, params } = JSON.parse(text) as {
      id?: number
      method?: string
      params?: { sessionId: string; workerInfo?: { url: string } }
    }
    // The workers are told before the answer to NodeWorker.enable.
    if (id === 1) this.#enabled.resolve()
    if (method === 'NodeWorker.attachedToWorker' && params) {
      this.#workers.set(params.sessionId, { sessionId: params.sessionId, url: params.workerInfo?.url ?? '' })
    }
    if (method === 'NodeWorker.detachedFromWorker' && params) {
      this.#workers.delete(params.sessionId)
      this.#gone.get(params.sessionId)?.()
    }
  }
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE).unref()
  })
}
