/** The process that receives webhooks: counts them, and verifies the signatures of a sample. */
import { createServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { now } from '../../harness/clock.ts'
import type { ReceiverOrder, ReceiverReport } from './order.ts'
import { RequestReader, type WebhookRequest } from './request-reader.ts'

/** The signature of one webhook in this many is verified. */
const SAMPLE = 50
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

class Count {
  readonly #expected: number
  readonly #verifier: Webhook
  readonly #patience: number
  readonly #ids = new Set<string>()
  readonly #lags: Float64Array
  readonly #cpuBefore = process.cpuUsage()
  #arrived = 0
  #verified = 0
  #wrong = 0
  #octets = 0
  #firstAt = 0
  #lastAt = 0
  #watch: NodeJS.Timeout | undefined
  #done = Promise.withResolvers<void>()

  constructor({ count, secret, patience }: Extract<ReceiverOrder, { count: number }>) {
    this.#expected = count
    this.#patience = patience
    this.#lags = new Float64Array(count)
    this.#verifier = new Webhook(secret)
  }

  take({ field, body }: WebhookRequest): void {
    this.#lastAt = now()
    this.#firstAt ||= this.#lastAt
    const eventAt = /"created_at":"([^"]*)"/.exec(body)?.[1]
    if (this.#arrived < this.#expected) this.#lags[this.#arrived] = Date.now() - Date.parse(eventAt ?? '')
    this.#arrived++
    this.#octets += body.length
    this.#ids.add(field('webhook-id') ?? '')
    if (this.#arrived % SAMPLE === 1) this.#verify(field, body)
    if (this.#ids.size === this.#expected) this.#done.resolve()
    else this.#watch?.refresh()
  }

  #verify(field: WebhookRequest['field'], body: string): void {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = Object.fromEntries(names.map((name) => [name, field(name) ?? '']))
    this.#verified++
    try {
      this.#verifier.verify(body, headers)
    } catch {
      this.#wrong++
    }
  }

  async report(): Promise<ReceiverReport> {
    this.#watch = setTimeout(this.#done.resolve, this.#patience)
    await this.#done.promise
    clearTimeout(this.#watch)
    const { user, system } = process.cpuUsage(this.#cpuBefore)
    return {
      arrived: this.#arrived,
      doubled: this.#arrived - this.#ids.size,
      verified: this.#verified,
      wrong: this.#wrong,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      lags: this.#lags.subarray(0, Math.min(this.#arrived, this.#expected)),
      octets: this.#octets / Math.max(1, this.#arrived),
      cpu: (user + system) / 1000,
    }
  }
}

let count: Count | null = null

function serve(socket: Socket): void {
  const reader = new RequestReader((request) => {
    count?.take(request)
    socket.write(ANSWER)
  })
  socket.setNoDelay(true)
  socket.on('data', (chunk: Buffer) => reader.push(chunk))
}

process.on('message', (order: ReceiverOrder) => {
  if ('listen' in order) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (!order.listen.hang) serve(socket)
      else socket.resume()
    })
    server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))
    return
  }
  count = new Count(order)
  process.send?.({ ready: true })
  void count.report().then((report) => process.send?.({ report }))
})
process.on('disconnect', () => process.exit(0))
