/** Whole lists as CSV: brought in by the piece, so that progress is real, and given out while they are read. */
import {
  csvOfAll,
  exportSuppressions,
  importAllowed,
  importSuppressions,
} from '../../../operate/suppression-files.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS } from '../contract/shapes.ts'
import { EXPORT_QUERY, IMPORT_PIECE, IMPORTED } from '../contract/suppressions.ts'

const importPiece = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/suppressions/import',
  operation: 'console_suppression_import',
  access: 'company',
  schema: {
    operationId: 'importSuppressions',
    summary: 'Put the lines of a piece of a CSV file on the list',
    params: COMPANY_PARAMS,
    body: IMPORT_PIECE,
    response: { 200: IMPORTED },
  },
})(async ({ caller, params: { company }, body: { list, text, begun } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const file = { company, source: [text], begun }
  const report =
    list === 'allowed' ? await importAllowed(op, file) : await importSuppressions(op, { ...file, type: list })
  return { status: 200, body: report }
})

const exportAll = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/suppressions/export',
  operation: 'console_suppression_export',
  access: 'company',
  schema: {
    operationId: 'exportSuppressions',
    summary: 'The list as a CSV file',
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

export const suppressionFileEndpoints: readonly Endpoint[] = [importPiece, exportAll]
