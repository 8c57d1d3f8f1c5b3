/** The process of the load generator: sends prepared messages over persistent connections, and measures its own cost. */
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../../harness/clock.ts'
import { bounce } from '../../harness/returned-mail.ts'
import { MARK, markedRecipient, PreparedText, preparedMessage, preparedRequest } from '../message.ts'
import { serveOrders } from '../service/part.ts'
import { HttpConnection } from './http-connection.ts'
import type { LoadOrder, LoadReport, LoadTarget } from './order.ts'
import { type PreparedEnvelope, SmtpConnection } from './smtp-connection.ts'

/** Milliseconds between two looks at the clock in an open-loop run: the generator itself delays no request by more than this. */
const TICK = 1

interface Connection {
  send(number: number): Promise<{ status: number; body: string }>
  close(): void
}

function opener(target: LoadTarget): (port: number) => Promise<Connection> {
  if (target.protocol === 'http') {
    const request = preparedRequest(target)
    return (port) => HttpConnection.open('127.0.0.1', port, request.copy())
  }
  if (target.protocol === 'returned') return (port) => SmtpConnection.open('127.0.0.1', port, bounces(target))
  const envelope = `MAIL FROM:<${target.from}>\r\nRCPT TO:<${markedRecipient(target.shape)}>\r\nDATA\r\n`
  const commands = new PreparedText(Buffer.from(envelope), target.shape.domains)
  const { pipelining = true, token, header = [] } = target
  const message = preparedMessage(target.from, target.shape, header)
  return (port) =>
    SmtpConnection.open('127.0.0.1', port, {
      commands: commands.copy(),
      message: message.copy(),
      pipelining,
      ...(token && { login: Buffer.from(`\0bench\0${token}`).toString('base64') }),
    })
}

function bounces({ recipients }: LoadTarget & { protocol: 'returned' }): PreparedEnvelope {
  return {
    commands: {
      for: (number) => Buffer.from(`MAIL FROM:<>\r\nRCPT TO:<${recipients[number]!.path}>\r\nDATA\r\n`),
    },
    message: {
      for(number) {
        const { path, address } = recipients[number]!
        const id = `<${number}-${address}>`
        return Buffer.from(
          `${bounce({ to: address, id, author: 'orders@bench.test', addressee: path })}.\r\n`,
        )
      },
    },
  }
}

class Run {
  readonly #order: LoadOrder
  readonly #connections: Connection[]
  readonly #answeredAt: Float64Array
  readonly #latencies: Float64Array
  readonly #refusals: string[] = []
  #accepted = 0
  #refused = 0

  constructor(order: LoadOrder, connections: Connection[]) {
    this.#order = order
    this.#connections = connections
    this.#answeredAt = new Float64Array(order.count)
    this.#latencies = new Float64Array(order.count)
  }

  async do(): Promise<LoadReport> {
    const before = process.cpuUsage()
    const startedAt = now()
    await (this.#order.rate === undefined ? this.#closedLoop(startedAt) : this.#openLoop(startedAt))
    const endedAt = now()
    const { user, system } = process.cpuUsage(before)
    for (const connection of this.#connections) connection.close()
    return {
      startedAt,
      endedAt,
      accepted: this.#accepted,
      refused: this.#refused,
      refusals: this.#refusals,
      latencies: this.#latencies.slice(0, this.#accepted),
      answeredAt: this.#answeredAt,
      cpu: (user + system) / 1000,
    }
  }

  /** Each connection sends its next request when its last one was answered, after a pause if the order has one. */
  async #closedLoop(startedAt: number): Promise<void> {
    const { count, milliseconds, pause: rest } = this.#order
    const stopAt = milliseconds === undefined ? Number.POSITIVE_INFINITY : startedAt + milliseconds
    let next = 0
    const work = async (connection: Connection) => {
      while (next < count && now() < stopAt) {
        const index = next++
        await this.#send(connection, index, now())
        if (rest !== undefined) await pause(rest)
      }
    }
    await Promise.all(this.#connections.map(work))
  }

  /**
   * Requests become due at a steady rate whether or not the earlier ones were answered, and their latency counts from that time: a server
   * that stalls is charged for all requests that became due meanwhile.
   */
  async #openLoop(startedAt: number): Promise<void> {
    const { count, rate, milliseconds } = this.#order
    const gap = 1000 / rate!
    const stopAt = milliseconds === undefined ? Number.POSITIVE_INFINITY : startedAt + milliseconds
    const free = [...this.#connections]
    let next = 0
    let failed: unknown
    const pump = () => {
      const at = now()
      while (next < count && at < stopAt && free.length > 0 && startedAt + next * gap <= at) {
        const index = next++
        const connection = free.pop()!
        this.#send(connection, index, startedAt + index * gap).then(
          () => {
            free.push(connection)
            pump()
          },
          (error: unknown) => {
            failed ??= error
          },
        )
      }
    }
    const goesOn = () => (next < count && now() < stopAt) || free.length < this.#connections.length
    while (failed === undefined && goesOn()) {
      pump()
      await pause(TICK)
    }
    if (failed !== undefined) throw failed
  }

  async #send(connection: Connection, index: number, dueAt: number): Promise<void> {
    const { status, body } = await connection.send(this.#order.first + index)
    const at = now()
    if (status === 200) {
      this.#latencies[this.#accepted++] = at - dueAt
      this.#answeredAt[index] = at
    } else if (this.#refused++ < 3) {
      this.#refusals.push(`${status} ${body}`)
    }
  }
}

async function offer(order: LoadOrder): Promise<LoadReport> {
  if (String(order.first + order.count).length > MARK.length) {
    throw new Error(`message numbers have ${MARK.length} digits; ${order.first + order.count} is too high`)
  }
  const open = opener(order.target)
  const connections: Connection[] = []
  for (let index = 0; index < order.connections; index++) connections.push(await open(order.port))
  return new Run(order, connections).do()
}

serveOrders(offer)
