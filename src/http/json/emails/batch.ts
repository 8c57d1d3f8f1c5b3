/** `POST /emails/batch`: up to a hundred emails in one request, and in one commit. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../accounts/account.ts'
import type { Outcome } from '../../../intake/check.ts'
import { buffersBeneath, jobAt } from '../../../workers/job.ts'
import { type Answer, JSON_TYPE } from '../../answer.ts'
import { readBody } from '../../body.ts'
import type { HttpCore } from '../../core.ts'
import { type AnyReason, Fault } from '../../fault.ts'
import { type Idempotent, idempotentOf } from '../../idempotency.ts'
import { handedOver } from '../../reading.ts'
import { jsonMessage, jsonWordsOfItem } from '../words.ts'
import { type BatchOrder, type BatchRead, MAX_EMAILS } from './batch-job.ts'

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
  const { items, idempotency } = await read({ body, strict, idempotent, caller, room }, core)

  const refused = new Map<number, AnyReason>()
  const outcomes: Outcome[] = []
  const places: number[] = []
  for (const [index, item] of items.entries()) {
    if ('reason' in item) refused.set(index, item.reason)
    else {
      outcomes.push(item)
      places.push(index)
    }
  }
  if (strict && refused.size > 0) return refusal(refused)
  const accepted = await core.deps.intake.acceptAll(caller, outcomes, { strict, idempotency })
  for (const [index, reason] of accepted.refused) refused.set(places[index]!, reason)
  if (strict && refused.size > 0) return refusal(refused)
  const data = accepted.receipts.map(({ id }) => ({ id }))
  const errors = [...refused]
    .sort(([a], [b]) => a - b)
    .map(([index, reason]) => ({ index, message: jsonMessage(reason) }))
  return { status: 200, type: JSON_TYPE, body: JSON.stringify(strict ? { data } : { data, errors }) }
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

async function read(
  { body, strict, idempotent, caller, room }: Received,
  { deps }: HttpCore,
): Promise<Extract<BatchRead, { items: unknown }>> {
  const { intake, workers, remoteFiles } = deps
  const company = caller.companyId
  const order = {
    strict,
    idempotent: idempotent && ofBatches(idempotent),
    terms: Array.from({ length: MAX_EMAILS }, () => intake.terms()),
  }
  const { octets, transfer } = handedOver(body)
  const first = { ...order, body: octets, fetched: null }
  let found = await workers.run(job, first, { company, weight: body.byteLength, transfer })
  if ('urls' in found) {
    const fetched = await remoteFiles.fetch(found.urls, room)
    const files = [...fetched.values()].flatMap((file) => ('content' in file ? file.content : []))
    const transfer = buffersBeneath([found.body, ...files])
    const weight = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0)
    found = await workers.run(job, { ...order, body: found.body, fetched }, { company, weight, transfer })
  }
  if ('reason' in found) throw new Fault(found.reason)
  if ('urls' in found) throw new Error('files that were fetched are asked for again')
  return found
}

/**
 * A key of a batch is another one than the same key of an email. The dot keeps them apart: keys of clients are ASCII.
 */
function ofBatches({ key, endpoint }: Idempotent): Idempotent {
  return { key: `batch·${key}`, endpoint }
}
