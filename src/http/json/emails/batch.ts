/** `POST /emails/batch`: up to a hundred emails in one request, and in one commit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../accounts/account.ts'
import { type AnyReason, Fault } from '../../../ingress/fault.ts'
import { type Idempotent, idempotentOf } from '../../../ingress/idempotency.ts'
import { handedOver } from '../../../ingress/reading.ts'
import type { CheckOutcome } from '../../../intake/check.ts'
import type { AcceptedEmail, Idempotency } from '../../../store/store.ts'
import { buffersBeneath, jobAt } from '../../../workers/job.ts'
import { type Answer, JSON_TYPE } from '../../answer.ts'
import { readBody } from '../../body.ts'
import type { HttpCore } from '../../core.ts'
import { jsonMessage, jsonWordsOfItem } from '../words.ts'
import { type BatchItem, type BatchJobInput, type BatchJobResult, MAX_EMAILS } from './batch-job.ts'
import type { BatchAnswer } from './schemas.ts'

const job = jobAt<BatchJobInput, BatchJobResult>(new URL('./batch-job.ts', import.meta.url))

/**
 * Throws or rejects with the reason that refuses the whole batch. The caller is admitted. The header
 * `x-batch-validation` decides about the other emails when one is refused: `strict` (the default) refuses all,
 * `permissive` accepts them.
 */
export async function sendBatch(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  caller: Principal,
  core: HttpCore,
): Promise<Answer> {
  const strict = isStrict(raw.headers['x-batch-validation'])
  const idempotent = idempotentOf(raw.headers, 'POST /emails/batch')
  const body = await readBody(raw, reply.raw, core.limit)
  const room = (octets: number) => core.admission.grow(raw, octets)
  const found = await readBatch({ body, strict, idempotent, caller, room }, core)
  if ('earlier' in found) return acceptBatch(found.earlier, found.refused, strict)
  const { refused, outcomes, places, idempotency } = found
  if (strict && refused.size > 0) return refusal(refused)
  const result = await core.deps.intake.acceptAll(caller, outcomes, { strict, idempotency })
  for (const [index, reason] of result.refused) refused.set(places[index]!, reason)
  if (strict && refused.size > 0) return refusal(refused)
  return acceptBatch(result.receipts, refused, strict)
}

function acceptBatch(
  receipts: readonly AcceptedEmail[],
  refused: ReadonlyMap<number, AnyReason>,
  strict: boolean,
): Answer {
  const data = receipts.map(({ id }) => ({ id }))
  const errors = [...refused]
    .sort(([a], [b]) => a - b)
    .map(([index, reason]) => ({ index, message: jsonMessage(reason) }))
  const answer: BatchAnswer = strict ? { data } : { data, errors }
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(answer) }
}

function isStrict(mode: string | string[] | undefined): boolean {
  if (mode === undefined || mode === 'strict') return true
  if (mode === 'permissive') return false
  const detail = 'The `x-batch-validation` header must be `strict` or `permissive`.'
  throw new Fault({ code: 'request_invalid', detail })
}

/** The answer for the first refused email. */
function refusal(refused: ReadonlyMap<number, AnyReason>): Answer {
  const index = Math.min(...refused.keys())
  return jsonWordsOfItem(refused.get(index)!, index)
}

interface BatchRequest {
  body: Buffer
  strict: boolean
  idempotent: Idempotent | null
  caller: Principal
  room(octets: number): void
}

/** The emails of a batch: the refused ones by index, and the outcomes of the others with their indexes. */
interface BatchSplit {
  refused: Map<number, AnyReason>
  outcomes: CheckOutcome[]
  places: number[]
}

/** `known`: emails that are already refused, for any item. */
function splitBatch(
  items: readonly BatchItem[],
  known: ReadonlyMap<number, AnyReason> = new Map(),
): BatchSplit {
  const refused = new Map(known)
  const outcomes: CheckOutcome[] = []
  const places: number[] = []
  for (const [index, item] of items.entries()) {
    if (refused.has(index)) continue
    if ('reason' in item) refused.set(index, item.reason)
    else {
      outcomes.push(item)
      places.push(index)
    }
  }
  return { refused, outcomes, places }
}

/** `earlier`: the receipts of an earlier request that this one repeats, which left out the emails in `refused`. */
async function readBatch(
  { body, strict, idempotent, caller, room }: BatchRequest,
  { deps }: HttpCore,
): Promise<
  | (BatchSplit & { idempotency: Idempotency | null })
  | { earlier: AcceptedEmail[]; refused: BatchSplit['refused'] }
> {
  const { intake, workers, remoteFiles } = deps
  const company = caller.companyId
  const order = {
    strict,
    idempotent: idempotent && ofBatches(idempotent),
    terms: Array.from({ length: MAX_EMAILS }, () => intake.terms()),
  }
  const { octets, transfer } = handedOver(body)
  const first = { ...order, body: octets, fetched: null }
  const found = await workers.run(job, first, { company, weight: body.byteLength, transfer })
  if ('reason' in found) throw new Fault(found.reason)
  const { items, idempotency } = found
  const without = splitBatch(items)
  if (!('urls' in found)) return { ...without, idempotency }

  // Files are fetched only for emails that the caller may send.
  const { refused, places } = without
  for (const [index, reason] of await intake.judge(caller, without.outcomes)) {
    refused.set(places[index]!, reason)
  }
  if (strict && refused.size > 0) return { ...without, idempotency }
  // The files of a repeated request may no longer exist. They are fetched again only when an email was refused for its
  // files.
  const earlier = idempotency && (await intake.repeated(caller, idempotency))
  if (earlier?.length === items.length - refused.size) return { earlier, refused }
  const urls = found.urls.filter((_, index) => !refused.has(index)).flat()
  const fetched = await remoteFiles.fetch(company, urls, room)
  const files = [...fetched.values()].flatMap((file) => ('content' in file ? file.content : []))
  const moved = buffersBeneath([found.body, ...files])
  const weight = moved.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const second = { ...order, body: found.body, fetched }
  const whole = await workers.run(job, second, { company, weight, transfer: moved })
  if ('reason' in whole) throw new Fault(whole.reason)
  return { ...splitBatch(whole.items, refused), idempotency }
}

/**
 * Keeps the keys of batches apart from those of single emails: keys of clients are ASCII, so none contains this dot.
 */
function ofBatches({ key, endpoint }: Idempotent): Idempotent {
  return { key: `batch·${key}`, endpoint }
}
