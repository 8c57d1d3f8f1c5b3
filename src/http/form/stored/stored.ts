/** Accepted messages, read back and sent again: `/v3/domains/{domain}/messages/{key}`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../../accounts/account.ts'
import { isOwn } from '../../../accounts/reading.ts'
import { joinedInTurns, release } from '../../../common/octets.ts'
import type { NoticeEmail, NoticeRecipient } from '../../../email/event-notice.ts'
import { copyOf } from '../../../events/copy.ts'
import { Fault } from '../../../ingress/fault.ts'
import { Fields } from '../../../ingress/message-form/fields.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { largeBodies } from '../../../mail/body.ts'
import type { LongAnswer } from '../../answer.ts'
import { readBody } from '../../body.ts'
import type { HttpCore } from '../../core.ts'
import { originOf } from '../../email-origin.ts'
import { longJson } from '../../json-pieces.ts'
import { checkNotEncoded } from '../../media-type.ts'
import { operationOfKey } from '../../operation.ts'
import type { DownloadLinks } from '../../stored-files/download-link.ts'
import { type EmailReference, listFiles } from '../../stored-files/files.ts'
import { ownDomain } from '../own-domain.ts'
import { checkFormType, type FormRequest, readForm } from '../request.ts'
import type { FormStore } from '../store-port.ts'
import { copyContent } from './copy-content.ts'
import { readKey } from './key.ts'
import { headOf, parsedMessage } from './message.ts'

export type StoredRoute = { Params: { domain: string; key: string } }

/** The most fields and octets of a request to send again. */
const MAX_PARTS = 2_000
const MAX_OCTETS = 256 * 1024
const MIME = 'message/rfc2822'

/** The parsed message, or `body-mime` if the client accepts that: the octets as they were or will be sent. */
export async function readStored(
  core: HttpCore,
  caller: Principal,
  { raw, params }: FastifyRequest<StoredRoute>,
  links: DownloadLinks,
): Promise<LongAnswer> {
  if (!caller.scopes.has('reading')) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
  const { deps, admission, publicUrl, copies } = core
  const { id, origin, position } = await storedOf(core, caller, params)
  const isWanted = raw.headers.accept?.includes(MIME) === true
  await admission.reserve(raw, origin.octets + (isWanted ? origin.size : (origin.rawOctets ?? 0)))
  const [read, notice] = [await deps.store.readEmail(id), await messageNoticeOf(deps, id, position)]
  if (read === null || notice === null || read.contentRemoved) throw notStored()
  const { email: sent, recipient } = notice
  const email =
    recipient === null
      ? read
      : { ...read, bcc: [], content: await copyContent(deps.workers, read, recipient) }
  const stored = { email, noticeEmail: sent }
  const bodies = largeBodies(email.content)
  if (isWanted) {
    const head = headOf(stored)
    for (const body of bodies) release(body)
    const copy = { id, ...(recipient !== null && { recipient: recipient.address }) }
    const { message } = await copies.get(operationOfKey({ deps }, caller), origin.companyId, copy)
    return longJson({ ...head, 'body-mime': message })
  }
  const base = publicUrl.urlOf(raw)
  const files = (await listFiles(deps, { id, origin })).map((file) => {
    return { ...file, url: links.to({ emailId: id, position: file.position }, base, Date.now()).url }
  })
  return longJson(parsedMessage(stored, files), bodies)
}

/** The message for other recipients: a new email with the same header and the same tags. */
interface ResendRequest {
  asked: FormRequest
  form: Buffer
}

export async function readAgain(
  core: HttpCore,
  caller: Principal,
  { raw, params }: FastifyRequest<StoredRoute>,
  reply: FastifyReply,
): Promise<ResendRequest> {
  if (!caller.scopes.has('reading')) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
  const { deps, admission, limit, copies } = core
  const { id, origin, position } = await storedOf(core, caller, params)
  checkNotEncoded(raw.headers['content-encoding'])
  const contentType = raw.headers['content-type']
  const asked = { domain: params.domain, mime: false, links: false, contentType, maxParts: MAX_PARTS }
  checkFormType(asked, true)
  const body = await readBody(raw, reply.raw, limit.upTo(MAX_OCTETS))
  const to = new Fields(readForm(asked, body).fields).all('to')
  if (to.length === 0) throw new Refusal({ code: 'field_missing', field: 'to' })
  await admission.reserve(raw, origin.size)
  const notice = await messageNoticeOf(deps, id, position)
  if (notice === null) throw notStored()
  const { recipient } = notice
  const copy = { id, ...(recipient !== null && { recipient: recipient.address }) }
  const { message } = await copies.get(operationOfKey({ deps }, caller), origin.companyId, copy)
  const { tags, variables, testMode, tls } = notice.email
  return await mimeForm(params.domain, message, [
    ...to.map((each): FormPair => ['to', each]),
    ...tags.filter(({ name }) => name === 'tag').map(({ value }): FormPair => ['o:tag', value]),
    ...variableFields(variables),
    ...(testMode ? [['o:testmode', 'yes'] satisfies FormPair] : []),
    ...(tls === null ? [] : [['o:require-tls', 'yes'] satisfies FormPair]),
    ...(tls === 'required' ? [['o:skip-verification', 'yes'] satisfies FormPair] : []),
  ])
}

type FormPair = [name: string, value: string]

/** Characters that the name of a field in a form cannot hold as they are (RFC 7578 4.2). */
const NOT_IN_NAMES = /["\\\r\n]/

/**
 * A variable has a field of its own, or a place in the JSON of one field if the name of a field cannot hold its name.
 */
function variableFields(variables: Readonly<Record<string, string>>): FormPair[] {
  const { own = [], json } = Object.groupBy(Object.entries(variables), ([name]) =>
    NOT_IN_NAMES.test(name) ? 'json' : 'own',
  )
  const fields = own.map(([name, value]): FormPair => [`v:${name}`, value])
  if (json !== undefined) fields.push(['h:X-Mailgun-Variables', JSON.stringify(Object.fromEntries(json))])
  return fields
}

/** The form as a client would send it, so that it is read like any other. */
async function mimeForm(
  domain: string,
  message: Buffer,
  fields: readonly FormPair[],
): Promise<ResendRequest> {
  const boundary = `--${crypto.randomUUID()}`
  const part = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const head = fields.map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`).join('')
  const form = await joinedInTurns([
    Buffer.from(`${head}${part('name="message"; filename="message.mime"')}`),
    message,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const contentType = `multipart/form-data; boundary="${boundary}"`
  return { asked: { domain, mime: true, links: false, contentType, maxParts: fields.length + 1 }, form }
}

/** `recipient`: the recipient of the copy; null: the message is the same for all. */
interface MessageNotice {
  email: NoticeEmail
  recipient: NoticeRecipient | null
}

/** Null when the message no longer exists. */
async function messageNoticeOf(
  { store }: { store: FormStore },
  emailId: string,
  position: number | null,
): Promise<MessageNotice | null> {
  const wanted = [{ emailId, recipient: position, known: false }]
  const [notice] = await store.readNoticeFacts(wanted, Number.MAX_SAFE_INTEGER)
  const { email, recipient } = notice!
  if (email === null || (position !== null && recipient === null)) return null
  // Only emails with individual messages have copies.
  if (recipient === null || !email.individual) return { email, recipient: null }
  return { email: copyOf(email, recipient), recipient }
}

async function storedOf(
  core: HttpCore,
  caller: Principal,
  { domain: name, key }: StoredRoute['Params'],
): Promise<EmailReference & { position: number | null }> {
  const domain = await ownDomain(core, caller, name)
  const { emailId, position } = readKey(key)
  const { id, origin } = await originOf(core.deps, emailId)
  if (origin === null || !isOwn(caller, origin) || origin.domainId !== domain.id) throw notStored()
  return { id, origin, position }
}

function notStored(): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Message not found' })
}
