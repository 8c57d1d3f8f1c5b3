/** Where in the log a time lies. */
import type { Operations, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const LAST_EVENT = statement<{ last: number }>(({ engine }) =>
  engine === 'postgres'
    ? 'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last FROM events_number_seq'
    : "SELECT value AS last FROM counters WHERE name = 'events'",
)
const EVENT_FROM = statement<{ number: number; at: number }>(
  'SELECT number, at FROM events WHERE number >= $1 ORDER BY number LIMIT 1',
)

export const eventTimeReads = {
  /**
   * Events lie in the order of their commits, so their times rise, except for differences between clocks and commits.
   */
  *lastEventBefore(port, at) {
    let low = 0
    let high = (yield* port.read.one(LAST_EVENT))!.last
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const found = yield* port.read.one(EVENT_FROM, middle + 1)
      if (found === undefined || found.number > high || found.at >= at) high = middle
      else low = found.number
    }
    return low
  },
} satisfies Operations<ReadPort>
