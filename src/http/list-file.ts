/** Lists of addresses in uploaded files, which are untrusted: read in pieces by workers. */
import { countLineEnds } from '../operate/csv-record.ts'
import {
  type CsvPiece,
  type CsvPieceResult,
  type ReadCsvPiece,
  readCsvPiece,
} from '../operate/suppression-csv.ts'
import { jobAt } from '../workers/job.ts'
import type { HttpCore } from './core.ts'

const job = jobAt<CsvPiece, CsvPieceResult>(new URL('./list-file-job.ts', import.meta.url))

/** The most octets and lines of a piece that is read on the main thread. */
const FEW_OCTETS = 4 * 1024
const FEW_LINES = 100
/** The weight of an octet, because a short unusable line costs many times the work of its octets. */
const WORK = 16

/** Makes the reader for the imports of a company. */
export function listReader({ deps }: Pick<HttpCore, 'deps'>, company: string): ReadCsvPiece {
  return (piece) => {
    const octets = piece.place.rest.length + piece.text.length
    if (octets <= FEW_OCTETS && countLineEnds(piece.text) <= FEW_LINES) return readCsvPiece(piece)
    return deps.workers.run(job, piece, { company, weight: octets * WORK })
  }
}
