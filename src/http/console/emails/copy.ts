/** The message as it leaves, or has left, for one recipient, and what is read of it: in a worker where it is large. */
import { OperateError } from '../../../operate/error.ts'
import { rawCopies } from '../../../operate/raw-copies.ts'
import { jobAt } from '../../../workers/job.ts'
import type { Visitor } from '../../admission/visit.ts'
import type { HttpCore } from '../../core.ts'
import { SMALL_BODY } from '../../reading.ts'
import readCopy, { type CopyRead, type CopyWanted } from './copy-job.ts'
import type { FoundEmail } from './found.ts'

const job = jobAt<CopyWanted, CopyRead>(new URL('./copy-job.ts', import.meta.url))

export interface Copy {
  /** Whom it is for. */
  addresses: string[]
  message: Buffer
}

/** `recipient`: an address; absent: the first copy there is. */
export async function copyOf(
  { limit }: HttpCore,
  request: Visitor,
  { op, id, origin }: FoundEmail,
  recipient: string | undefined,
): Promise<Copy> {
  await limit.admission.reserve(request, 2 * Math.max(origin.size, origin.octets))
  const [copy] = await rawCopies(op, { id, first: true, recipient })
  if (copy === undefined) throw new OperateError('not_found', 'there is no copy of this email')
  return copy
}

export async function readIn(
  { deps }: HttpCore,
  { origin }: FoundEmail,
  message: Buffer,
  wanted: CopyWanted['wanted'],
): Promise<CopyRead> {
  const task = { raw: message, wanted }
  if (message.byteLength <= SMALL_BODY) return readCopy(task)
  return await deps.workers.run(job, task, { company: origin.companyId, weight: message.byteLength })
}
