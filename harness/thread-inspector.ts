/**
 * Looks into a running process and all of its threads through the inspector: heap after a collection, what is open, timers, listeners.
 * The process has to run with `--inspect`; it prints its address on standard error.
 */
export interface ThreadSample {
  /** `main`, or the script of the thread and its number. */
  name: string
  /** Octets in use right after garbage was collected. */
  heap: number
  /** What keeps the thread's event loop alive, by kind (process.getActiveResourcesInfo). */
  resources: Record<string, number>
  /** Listeners on `process`. */
  listeners: number
}

/** The expression that the thread evaluates: a string, because the protocol carries text. */
const LOOK = `JSON.stringify({
  heap: process.memoryUsage().heapUsed,
  resources: process.getActiveResourcesInfo().reduce((counts, kind) => ({ ...counts, [kind]: (counts[kind] ?? 0) + 1 }), {}),
  listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
})`

const GONE = 'the inspected thread is gone'

interface Answer {
  result?: { value?: string }
}

interface ProtocolMessage {
  id?: number
  method?: string
  params?: {
    sessionId?: string
    message?: string
    workerInfo?: { title: string; url: string; workerId: string }
  }
  result?: { result?: Answer['result'] }
  error?: { message: string }
}

interface Asked {
  /** Of the thread that was asked; null: the process. */
  session: string | null
  resolve: (message: ProtocolMessage) => void
  reject: (error: Error) => void
}

export class ThreadInspector {
  readonly #socket: WebSocket
  readonly #workers = new Map<string, string>()
  readonly #waiting = new Map<number, Asked>()
  /** By the session of a thread whose end is waited for. */
  readonly #ends = new Map<string, () => void>()
  #id = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', (event) =>
      this.#hear(JSON.parse(String(event.data)) as ProtocolMessage),
    )
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the inspected process is gone'))
      this.#waiting.clear()
    })
  }

  /** `address`: what the process said after "Debugger listening on". */
  static async connect(address: string): Promise<ThreadInspector> {
    const socket = new WebSocket(address)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)), { once: true })
    })
    const inspector = new ThreadInspector(socket)
    await inspector.#ask({ method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } })
    return inspector
  }

  /** The threads beside the main one that there are now: their sessions and names. */
  get workers(): [session: string, name: string][] {
    return [...this.#workers]
  }

  /** The value of an expression in the thread; null: in the main thread. Rejects when the thread ends before it answers. */
  async evaluate(session: string | null, expression: string): Promise<string | undefined> {
    const answer = await this.#call(session, 'Runtime.evaluate', { expression, returnByValue: true })
    return answer.result?.result?.value
  }

  /** Resolves when the thread has ended; never when its whole process has. */
  async ended(session: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ends.set(session, resolve)
    if (this.#workers.has(session)) await promise
  }

  /** One sample for each thread; a thread that ends meanwhile is missing. */
  async sample(): Promise<ThreadSample[]> {
    const look = async (name: string, session: string | null): Promise<ThreadSample | null> => {
      try {
        await this.#call(session, 'HeapProfiler.collectGarbage', {})
        const value = await this.evaluate(session, LOOK)
        return value === undefined ? null : { name, ...(JSON.parse(value) as Omit<ThreadSample, 'name'>) }
      } catch (error) {
        // The main thread is there as long as the process is.
        if (session === null) throw error
        return null
      }
    }
    const samples = [await look('main', null)]
    for (const [session, name] of this.workers) samples.push(await look(name, session))
    return samples.filter((sample) => sample !== null)
  }

  close(): void {
    this.#socket.close()
  }

  #call(session: string | null, method: string, params: object): Promise<ProtocolMessage> {
    if (session === null) return this.#ask({ method, params })
    // A request to a thread that has ended is accepted, and never answered.
    if (!this.#workers.has(session)) return Promise.reject(new Error(GONE))
    const id = ++this.#id
    const answer = this.#expect(id, session)
    const message = JSON.stringify({ id, method, params })
    this.#ask({ method: 'NodeWorker.sendMessageToWorker', params: { sessionId: session, message } }).catch(
      (error: Error) => {
        this.#waiting.get(id)?.reject(error)
        this.#waiting.delete(id)
      },
    )
    return answer
  }

  #ask(message: { method: string; params: object }): Promise<ProtocolMessage> {
    const id = ++this.#id
    const answer = this.#expect(id, null)
    this.#socket.send(JSON.stringify({ id, ...message }))
    return answer
  }

  #expect(id: number, session: string | null): Promise<ProtocolMessage> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { session, resolve, reject })
    })
  }

  #hear({ id, method, params, ...rest }: ProtocolMessage): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (rest.error) waiting?.reject(new Error(rest.error.message))
      else waiting?.resolve(rest)
    } else if (method === 'NodeWorker.attachedToWorker' && params?.sessionId && params.workerInfo) {
      const script = params.workerInfo.url.slice(params.workerInfo.url.lastIndexOf('/') + 1)
      this.#workers.set(params.sessionId, `${script} ${params.workerInfo.workerId}`)
    } else if (method === 'NodeWorker.detachedFromWorker' && params?.sessionId) {
      this.#workers.delete(params.sessionId)
      this.#ends.get(params.sessionId)?.()
      for (const [asked, { session, reject }] of this.#waiting) {
        if (session !== params.sessionId) continue
        this.#waiting.delete(asked)
        reject(new Error(GONE))
      }
    } else if (method === 'NodeWorker.receivedMessageFromWorker' && params?.message) {
      this.#hear(JSON.parse(params.message) as ProtocolMessage)
    }
  }
}
