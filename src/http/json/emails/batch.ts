/** `POST /emails/batch`: up to a hundred emails in one request, and in one commit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../accounts/account.ts'
import type { Outcome } from '../../../intake/check.ts'
import type { Receipt } from '../../../intake/submission.ts'
import type { Idempotency } from '../../../store/store.ts'
import { buffersBeneath, jobAt } from '../../../workers/job.ts'
import { type Answer, JSON_TYPE } from '../../answer.ts'
import { readBody } from '../../body.ts'
import type { HttpCore } from '../../core.ts'
import { type AnyReason, Fault } from '../../fault.ts'
import { type Idempotent, idempotentOf } from '../../idempotency.ts'
import { handedOver } from '../../reading.ts'
import { jsonMessage, jsonWordsOfItem } from '../words.ts'
import { type BatchOrder, type BatchRead, type Item, MAX_EMAILS } from './batch-job.ts'
import type { BatchAnswer } from './schemas.ts'

const job = jobAt<BatchOrder, BatchRead>(new URL('./batch-job.ts', import.meta.url))

/**
 * Throws or rejects with what all of it is refused for. The caller is admitted. `x-batch-validation` says what becomes
 * of the others when one is wrong: `strict` (or nothing) refuses all, `permissive` accepts them.
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
  const room = (octets: number) => core.limit.admission.grow(raw, octets)
  const found = await read({ body, strict, idempotent, caller, room }, core)
  if ('earlier' in found) return accepted(found.earlier, found.refused, strict)
  const { refused, outcomes, places, idempotency } = found
  if (strict && refused.size > 0) return refusal(refused)
  const result = await core.deps.intake.acceptAll(caller, outcomes, { strict, idempotency })
  for (const [index, reason] of result.refused) refused.set(places[index]!, reason)
  if (strict && refused.size > 0) return refusal(refused)
  return accepted(result.receipts, refused, strict)
}

function accepted(
  receipts: readonly Receipt[],
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

/** In the words of the first. */
function refusal(refused: ReadonlyMap<number, AnyReason>): Answer {
  const index = Math.min(...refused.keys())
  return jsonWordsOfItem(refused.get(index)!, index)
}

interface Received {
  body: Buffer
  strict: boolean
  idempotent: Idempotent | null
  caller: Principal
  room(octets: number): void
}

/** The emails of a batch: what is wrong with some, by place, and the others with theirs. */
interface Sorted {
  refused: Map<number, AnyReason>
  outcomes: Outcome[]
  places: number[]
}

/** `known`: what is wrong with some, whatever is found of them. */
function sorted(items: readonly Item[], known: ReadonlyMap<number, AnyReason> = new Map()): Sorted {
  const refused = new Map(known)
  const outcomes: Outcome[] = []
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

/** `earlier`: it repeats a request of which these were accepted, and `refused` were not. */
async function read(
  { body, strict, idempotent, caller, room }: Received,
  { deps }: HttpCore,
): Promise<
  (Sorted & { idempotency: Idempotency | null }) | { earlier: Receipt[]; refused: Sorted['refused'] }
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
  const without = sorted(items)
  if (!('urls' in found)) return { ...without, idempotency }

  // Nothing is fetched for who may not send it.
  const { refused, places } = without
  for (const [index, reason] of await intake.judge(caller, without.outcomes)) {
    refused.set(places[index]!, reason)
  }
  if (strict && refused.size > 0) return { ...without, idempotency }
  // Its files may be there no more. They are asked for again only where one of them was refused for its files.
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
  return { ...sorted(whole.items, refused), idempotency }
}

/**
 * A key of a batch is another one than the same key of an email. The dot keeps them apart: keys of clients are ASCII.
 */
function ofBatches({ key, endpoint }: Idempotent): Idempotent {
  return { key: `batch·${key}`, endpoint }
}
