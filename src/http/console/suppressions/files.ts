/**
 * Whole lists as CSV. A list is imported in pieces, so that the progress shown is real, and exported while it is read.
 */
import {
  csvOfAll,
  exportSuppressions,
  importAllowed,
  importedSoFar,
  importSuppressions,
} from '../../../operate/suppression-files.ts'
import { listReader } from '../../list-file.ts'
import type { SUPPRESSION_FILE_ROUTES } from '../contract/suppressions.ts'
import type { Handlers } from '../handlers.ts'

/** Ms within which the next piece must arrive to be part of the same entry. */
const TICKET_LASTS = 24 * 3_600_000

export const suppressionFileHandlers: Handlers<typeof SUPPRESSION_FILE_ROUTES> = {
  'POST /companies/:company/suppressions/import': async ({ op, person, params: { company }, body }, core) => {
    const { tickets, clock } = core.signIn
    const { list, text, begun, file, ticket } = body
    const of = { personId: person.id, company, list }
    const held = ticket === undefined ? null : tickets.readTicket('import', ticket, clock.now())
    const goesOn = held?.personId === of.personId && held.company === of.company && held.list === of.list
    const part = goesOn ? { file: held.file, before: held.sum } : { file, before: undefined }
    const piece = { company, source: [text], begun, part, read: listReader(core, company) }
    const { entry, ...report } =
      list === 'allowed'
        ? await importAllowed(op, piece)
        : await importSuppressions(op, { ...piece, type: list })
    if (entry === null) return report
    const sum = { ...importedSoFar(part, report), entry }
    const next = tickets.issue('import', { ...of, file: part.file, sum }, TICKET_LASTS, clock.now())
    return { ...report, ticket: next }
  },

  'GET /companies/:company/suppressions/export': async ({
    op,
    params: { company },
    query: { type, domain },
  }) => {
    const pages = await exportSuppressions(op, { company, domain, types: type && [type] })
    return {
      type: 'text/csv; charset=utf-8',
      pieces: csvOfAll(op, pages),
      headers: { 'content-disposition': `attachment; filename="${type ?? 'suppressions'}.csv"` },
    }
  },
}
