/** The message as it leaves, or has left, for one recipient, and what is read of it: in a worker where it is large. */
import type { RawCopy } from '../../operate/raw-copies.ts'
import type { Operation } from '../../operate/verb.ts'
import { jobAt } from '../../workers/job.ts'
import type { Visitor } from '../admission/visit.ts'
import type { HttpCore } from '../core.ts'
import { SMALL_BODY } from '../reading.ts'
import type { EmailOf } from '../stored-files/files.ts'
import readCopy, { type CopyRead, type CopyWanted } from './read-copy-job.ts'

/** An email that is shown to somebody who may see it. */
export interface ShownEmail extends EmailOf {
  op: Operation
}

const job = jobAt<CopyWanted, CopyRead>(new URL('./read-copy-job.ts', import.meta.url))

/** `recipient`: an address; absent: the first copy. */
export async function rawCopyOf(
  { limit, copies }: HttpCore,
  request: Visitor,
  { op, id, origin }: ShownEmail,
  recipient: string | undefined,
): Promise<RawCopy> {
  const wanted = { id, recipient }
  const kept = copies.kept(origin.companyId, wanted)
  // To compose it takes twice as much as to read it in a worker.
  const room = kept === undefined ? 2 * Math.max(origin.size, origin.octets) : kept.message.byteLength
  await limit.admission.reserve(request, room)
  return await copies.get(op, origin.companyId, wanted)
}

export async function readIn(
  { deps }: HttpCore,
  { origin }: ShownEmail,
  message: Buffer,
  wanted: CopyWanted['wanted'],
): Promise<CopyRead> {
  const task = { raw: message, wanted }
  if (message.byteLength <= SMALL_BODY) return readCopy(task)
  return await deps.workers.run(job, task, { company: origin.companyId, weight: message.byteLength })
}
