/** The files of an email: its attachments, or the files inside a ready message. */
import type { StoredFile } from '../../email/stored-email.ts'
import type { Admission } from '../../ingress/admission/admission.ts'
import type { Visitor } from '../../ingress/admission/visit.ts'
import { SMALL_BODY } from '../../ingress/reading.ts'
import type { StoredOrigin } from '../../store/store.ts'
import { jobAt } from '../../workers/job.ts'
import type { HttpDeps } from '../deps.ts'
import readFiles, { type FilesJobInput, type FilesJobResult } from './read-job.ts'
import type { StoredFiles } from './store-port.ts'

const job = jobAt<FilesJobInput, FilesJobResult>(new URL('./read-job.ts', import.meta.url))

type FileParts = {
  workers: HttpDeps['workers']
  store: StoredFiles
}

export interface EmailReference {
  id: string
  origin: StoredOrigin
}

/**
 * Reserves room for reading a ready message, to list its files or read one; undefined when there is room or none is
 * needed.
 */
export function roomToList(
  admission: Admission,
  request: Visitor,
  { rawOctets }: StoredOrigin,
): Promise<void> | undefined {
  return rawOctets === null ? undefined : admission.reserve(request, rawOctets)
}

/** In their order; none when retention has removed the content. A ready message is read for each call. */
export async function listFiles(parts: FileParts, { id, origin }: EmailReference): Promise<StoredFile[]> {
  if (origin.rawOctets === null) return await parts.store.listFiles(id)
  return (await findFiles(parts, { id, origin }, null))?.files ?? []
}

/** The octets of the file at a position; null when there is none. */
export async function readFile(
  parts: FileParts,
  { id, origin }: EmailReference,
  position: number,
): Promise<Uint8Array | null> {
  if (origin.rawOctets === null) return await parts.store.readFile(id, position)
  return (await findFiles(parts, { id, origin }, position))?.octets ?? null
}

async function findFiles(
  { store, workers }: FileParts,
  { id, origin }: EmailReference,
  position: number | null,
): Promise<FilesJobResult | null> {
  const raw = await store.readRaw(id)
  if (raw === null) return null
  const wanted = { raw, position }
  if (raw.byteLength <= SMALL_BODY) return readFiles(wanted)
  const { byteLength: weight, buffer } = raw
  const transfer = buffer instanceof ArrayBuffer && buffer.byteLength === weight ? [buffer] : []
  return await workers.run(job, wanted, { company: origin.companyId, weight, transfer })
}
