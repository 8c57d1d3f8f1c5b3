/** The load generator, a process of its own: offers prepared requests over kept-open connections. */
import { now } from './clock.ts'
import { HttpConnection } from './http-connection.ts'
import { PreparedRequest, type RequestTarget } from './message.ts'

export interface LoadOrder {
  port: number
  target: RequestTarget
  connections: number
  /** Number of the first recipient; the others follow. */
  first: number
  /** Requests to send; the run ends with the last answer. */
  count: number
  /** Ends earlier, after so many milliseconds, when given. */
  milliseconds?: number
}

export interface LoadReport {
  /** Monotonic ms. */
  startedAt: number
  endedAt: number
  accepted: number
  /** Status and body of the first few answers that were not 200. */
  refusals: string[]
  refused: number
  /** Ms from request to answer, one for each accepted. */
  latencies: Float64Array
  /** Monotonic ms of the 200 answer, by recipient number minus `first`; 0 where there was none. */
  answeredAt: Float64Array
}

async function offer({
  port,
  target,
  connections,
  first,
  count,
  milliseconds,
}: LoadOrder): Promise<LoadReport> {
  const prepared = new PreparedRequest(target)
  const open = await Promise.all(
    Array.from({ length: connections }, () => HttpConnection.open('127.0.0.1', port)),
  )
  const answeredAt = new Float64Array(count)
  const latencies = new Float64Array(count)
  const refusals: string[] = []
  let next = 0
  let accepted = 0
  let refused = 0
  const startedAt = now()
  const stopAt = milliseconds === undefined ? Number.POSITIVE_INFINITY : startedAt + milliseconds
  const work = async (connection: HttpConnection) => {
    while (next < count && now() < stopAt) {
      const index = next++
      const request = prepared.for(first + index)
      const sentAt = now()
      const { status, body } = await connection.send(request)
      const at = now()
      if (status === 200) {
        latencies[accepted++] = at - sentAt
        answeredAt[index] = at
      } else if (refused++ < 3) {
        refusals.push(`${status} ${body}`)
      }
    }
  }
  await Promise.all(open.map(work))
  const endedAt = now()
  for (const connection of open) connection.close()
  return {
    startedAt,
    endedAt,
    accepted,
    refused,
    refusals,
    latencies: latencies.slice(0, accepted),
    answeredAt,
  }
}

process.on('message', (order: LoadOrder) => {
  offer(order).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
