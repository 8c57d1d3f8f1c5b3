/** The audit list as CSV. Loaded only when somebody exports it. */
import { stringify } from 'csv-stringify/sync'
import type { AuditEntry } from '../people/person.ts'
import { guardCell } from './csv-cell.ts'
import { isoTime } from './shapes/time.ts'

const COLUMNS = [
  ...['number', 'time', 'company', 'actor', 'actor_kind', 'actor_id'],
  ...['topic', 'action', 'target', 'detail', 'done'],
]

/** @param nameOf returns the name of a company */
export async function* auditCsv(
  pages: AsyncIterable<AuditEntry[]>,
  nameOf: (companyId: string) => string,
): AsyncGenerator<string> {
  yield stringify([COLUMNS])
  for await (const page of pages) {
    yield stringify(
      page.map(({ number, at, companyId, actor, topic, action, target, detail, done }) => [
        ...[number, isoTime(at), companyId === null ? '' : guardCell(nameOf(companyId))],
        ...[guardCell(actor.name), actor.kind, guardCell(actor.id ?? '')],
        ...[topic, action, guardCell(target), guardCell(JSON.stringify(detail)), done ? 'yes' : 'unknown'],
      ]),
    )
  }
}
