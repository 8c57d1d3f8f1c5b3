/** One recipient's copy of a message, sent or not, and its reading: in a worker when it is large. */

import type { Visitor } from '../../ingress/admission/visit.ts'
import { SMALL_BODY } from '../../ingress/reading.ts'
import type { RawCopy } from '../../operate/raw-copies.ts'
import type { Operation } from '../../operate/verb.ts'
import { jobAt } from '../../workers/job.ts'
import type { HttpCore } from '../core.ts'
import type { EmailReference } from '../stored-files/files.ts'
import readCopy, { type ReadCopyJobInput, type ReadCopyJobResult } from './read-copy-job.ts'

/** An email for a person with the right to see it. */
export interface EmailView extends EmailReference {
  op: Operation
}

const job = jobAt<ReadCopyJobInput, ReadCopyJobResult>(new URL('./read-copy-job.ts', import.meta.url))

/** `recipient`: an address; absent: the first copy. */
export async function rawCopyOf(
  { admission, copies }: HttpCore,
  request: Visitor,
  { op, id, origin }: EmailView,
  recipient: string | undefined,
): Promise<RawCopy> {
  const wanted = { id, recipient }
  const copy = copies.findCached(origin.companyId, wanted)
  // Composing a copy takes twice the memory of reading it in a worker.
  const room = copy === undefined ? 2 * Math.max(origin.size, origin.octets) : copy.message.byteLength
  await admission.reserve(request, room)
  return await copies.get(op, origin.companyId, wanted)
}

export async function readIn(
  { deps }: HttpCore,
  { origin }: EmailView,
  message: Buffer,
  wanted: ReadCopyJobInput['wanted'],
): Promise<ReadCopyJobResult> {
  const task = { raw: message, wanted }
  if (message.byteLength <= SMALL_BODY) return readCopy(task)
  return await deps.workers.run(job, task, { company: origin.companyId, weight: message.byteLength })
}
