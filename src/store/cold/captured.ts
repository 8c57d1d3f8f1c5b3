/** The copies of messages that the capture route keeps. */
import { isEmailId } from '../../email/email-id.ts'
import { type CapturedRow, capturedOf } from '../email-rows.ts'
import { keyById } from './email-tables.ts'
import { LargeOctets } from './large-octets.ts'
import type { Operations, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

interface CopyRow extends CapturedRow {
  seq: number
}

const COPY = new LargeOctets({ raw: 'raw' }, 'FROM captured WHERE email = $1 AND seq = $2')
const copies = (dialect: Dialect) => {
  const seq = dialect.engine === 'postgres' ? 'seq' : 'num AS seq'
  return `SELECT ${seq}, recipients, ${COPY.selected(dialect)} FROM captured WHERE email = ${keyById(dialect)}`
}
const COPIES = statement<CopyRow>((dialect) => `${copies(dialect)} ORDER BY seq`)
/** The first copy, or that of the recipient at $2. */
const COPY_OF = statement<CopyRow>((dialect) => {
  const first = { postgres: '(recipients::json ->> 0)::integer', sqlite: 'recipients ->> 0' }[dialect.engine]
  return `${copies(dialect)} AND ($2::integer IS NULL OR $2::text IN (${dialect.texts('recipients')}))
    ORDER BY coalesce(${first}, 0) LIMIT 1`
})

export const capturedReads = {
  *readCapturedCopy(port, id, position) {
    if (!isEmailId(id)) return null
    const rows = yield* port.read.all(COPY_OF, id, position)
    return capturedOf(yield* COPY.complete(port.read, rows, ({ seq }) => [id, seq]))[0] ?? null
  },

  *readCaptured(port, id) {
    if (!isEmailId(id)) return []
    const rows = yield* port.read.all(COPIES, id)
    return capturedOf(yield* COPY.complete(port.read, rows, ({ seq }) => [id, seq]))
  },
} satisfies Operations<ReadPort>
