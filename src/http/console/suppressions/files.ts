/** Whole lists as CSV: imported in pieces, so that the progress shown is real, and exported while they are read. */

import type { SignInParts } from '../../../operate/sign-in.ts'
import {
  csvOfAll,
  exportSuppressions,
  importAllowed,
  importedSoFar,
  importSuppressions,
} from '../../../operate/suppression-files.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { listReader } from '../../list-file.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS } from '../contract/shapes.ts'
import { EXPORT_QUERY, IMPORT_PIECE, IMPORTED } from '../contract/suppressions.ts'

/** Ms within which the next piece must arrive to be part of the same entry. */
const TICKET_LASTS = 24 * 3_600_000

const importPiece = ({ tickets, clock }: SignInParts) =>
  endpoint({
    method: 'POST',
    url: '/console/api/companies/:company/suppressions/import',
    operation: 'console_suppression_import',
    access: 'company',
    schema: {
      operationId: 'importSuppressions',
      summary: 'Import one part of a CSV file into the suppression list',
      params: COMPANY_PARAMS,
      body: IMPORT_PIECE,
      response: { 200: IMPORTED },
    },
  })(async ({ caller, params: { company }, body: { list, text, begun, file, ticket } }, core) => {
    const op = await currentOperationOf(core, caller.caller)
    const of = { personId: caller.person.id, company, list }
    const held = ticket === undefined ? null : tickets.read('import', ticket, clock.now())
    const goesOn = held?.personId === of.personId && held.company === of.company && held.list === of.list
    const part = goesOn ? { file: held.file, before: held.sum } : { file, before: undefined }
    const piece = { company, source: [text], begun, part, read: listReader(core, company) }
    const { entry, ...report } =
      list === 'allowed'
        ? await importAllowed(op, piece)
        : await importSuppressions(op, { ...piece, type: list })
    if (entry === null) return { status: 200, body: report }
    const sum = { ...importedSoFar(part, report), entry }
    const next = tickets.issue('import', { ...of, file: part.file, sum }, TICKET_LASTS, clock.now())
    return { status: 200, body: { ...report, ticket: next } }
  })

const exportAll = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/suppressions/export',
  operation: 'console_suppression_export',
  access: 'company',
  schema: {
    operationId: 'exportSuppressions',
    summary: 'Export the suppression list as a CSV file',
    params: COMPANY_PARAMS,
    querystring: EXPORT_QUERY,
    response: { 200: { type: 'string' } },
  },
})(async ({ caller, params: { company }, query: { type } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const pages = await exportSuppressions(op, { company, types: type && [type] })
  return {
    type: 'text/csv; charset=utf-8',
    pieces: csvOfAll(pages),
    headers: { 'content-disposition': `attachment; filename="${type ?? 'suppressions'}.csv"` },
  }
})

export function suppressionFileEndpoints(parts: SignInParts): Endpoint[] {
  return [importPiece(parts), exportAll]
}
