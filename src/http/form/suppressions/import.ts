/** `POST /v3/{domain}/bounces/import` and the like: a whole list as a CSV file. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../accounts/account.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { importAllowed, importSuppressions } from '../../../operate/suppression-files.ts'
import { type Answer, JSON_TYPE } from '../../answer.ts'
import { readBody } from '../../body.ts'
import type { HttpCore } from '../../core.ts'
import { listReader } from '../../list-file.ts'
import { checkNotEncoded, mediaTypeName } from '../../media-type.ts'
import { operationOfKey } from '../../operation.ts'
import { ownDomain } from '../own-domain.ts'
import { expectType, MULTIPART, readForm } from '../request.ts'
import type { SuppressionList } from './lists.ts'

const MAX_OCTETS = 25 * 1024 * 1024
const MAX_PARTS = 10
/** Octets decoded at once. */
const PIECE = 32 * 1024

export type ImportRoute = { Params: { domain: string } }

/** `list`: null for the allow list. Unusable lines are counted; the others are added to the list. */
export async function importList(
  core: HttpCore,
  caller: Principal,
  list: SuppressionList | null,
  request: FastifyRequest<ImportRoute>,
  reply: FastifyReply,
): Promise<Answer> {
  if (!caller.scopes.has('management')) throw new Refusal({ code: 'scope_missing', scope: 'management' })
  const { raw, params } = request
  const { id: domain } = await ownDomain(core, caller, params.domain)
  const contentType = raw.headers['content-type']
  checkNotEncoded(raw.headers['content-encoding'])
  expectType(mediaTypeName(contentType), [MULTIPART])
  const octets = await readBody(raw, reply.raw, core.limit.upTo(MAX_OCTETS))
  const { files, fields } = readForm({ contentType, maxParts: MAX_PARTS }, octets)
  const content = files[0]?.content ?? fields[0]?.[1]
  if (content === undefined) throw new Refusal({ code: 'field_missing', field: 'file' })
  const op = operationOfKey(core, caller)
  const { companyId: company } = caller
  const file = { company, domain, source: piecesOf(content), read: listReader(core, company) }
  const { added, present, bad } =
    list === null ? await importAllowed(op, file) : await importSuppressions(op, { ...file, type: list.type })
  const body = JSON.stringify({ message: 'file uploaded successfully', added, present, bad })
  return { status: 202, type: JSON_TYPE, body }
}

/** The pieces of the file. Each is decoded when it is read. */
function* piecesOf(content: Uint8Array | string): Generator<Uint8Array | string> {
  for (let at = 0; at < content.length; at += PIECE) {
    yield typeof content === 'string' ? content.slice(at, at + PIECE) : content.subarray(at, at + PIECE)
  }
}
