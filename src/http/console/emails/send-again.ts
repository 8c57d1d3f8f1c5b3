/** Sends the content of an email as a new one: the same parts, with a new date and Message-ID. */
import type { Principal } from '../../../accounts/account.ts'
import type { Visitor } from '../../../ingress/admission/visit.ts'
import { withFingerprint } from '../../../ingress/idempotency.ts'
import { SMALL_BODY } from '../../../ingress/reading.ts'
import type { CheckOutcome } from '../../../intake/check.ts'
import { largeBodies } from '../../../mail/body.ts'
import { OperateError } from '../../../operate/error.ts'
import { noSuchEmail } from '../../../operate/find.ts'
import { buffersBeneath, jobAt } from '../../../workers/job.ts'
import type { HttpCore } from '../../core.ts'
import type { EmailView } from '../../shown-emails/copy.ts'
import type { ResentEmails } from '../store-port.ts'
import checkAgain, { type SendAgainJobInput } from './send-again-job.ts'

const job = jobAt<SendAgainJobInput, CheckOutcome>(new URL('./send-again-job.ts', import.meta.url))

/** Recipients of a batch whose values are read at once. */
const AT_ONCE = 50

interface SendAgainRequest {
  /** Identifies the click, so that it sends only once. */
  click: string
  /** Other recipients; absent: the same ones. */
  to?: string | undefined
}

/** Returns the id of the new email. Rejects with the reason for a refusal. */
export async function sendAgain(
  core: HttpCore,
  request: Visitor,
  email: EmailView,
  sender: Principal,
  { click, to }: SendAgainRequest,
): Promise<string> {
  const { intake } = core.deps
  const { octets, rawOctets, size } = email.origin
  await core.admission.reserve(request, octets + (rawOctets ?? 0) + size)
  const idempotent = { key: click, endpoint: 'console again' }
  const order = {
    ...(await contentOf(core, email, to?.trim() || undefined)),
    idempotency: await withFingerprint(idempotent, [email.id, to ?? null]),
    terms: intake.terms(),
  }
  return (await intake.accept(sender, await checkOrder(core, order, sender))).id
}

async function contentOf(
  { deps: { store, accounts } }: HttpCore,
  { id, op }: EmailView,
  to: string | undefined,
): Promise<Omit<SendAgainJobInput, 'idempotency' | 'terms'>> {
  const email = await store.readEmail(id)
  // Retention may have removed it in the meantime.
  if (email === null) throw noSuchEmail(id)
  if (email.contentRemoved) {
    throw new OperateError('not_found', 'its content was removed at the end of its retention period')
  }
  const [notice] = await op.store.readNoticeFacts([{ emailId: id, recipient: null, known: false }], 1)
  const domain = accounts.directory.domain(email.domainId)?.name
  if (domain === undefined) throw new OperateError('conflict', 'its sending domain was removed')
  const raw = await store.readRaw(id)
  const recipients = await store.readRecipients(id, { from: 0, limit: 1_000_000 })
  return {
    email,
    domain,
    to,
    raw,
    addresses: recipients.map(({ address }) => address),
    files: raw === null ? await filesOf(store, id) : [],
    values: notice?.email?.individual === true ? await valuesOf(store, id, recipients.length, to) : null,
  }
}

/** A worker checks large emails, and batches: one may have 250,000 values. */
async function checkOrder(
  { deps }: HttpCore,
  order: SendAgainJobInput,
  { companyId }: Principal,
): Promise<CheckOutcome> {
  const { email, raw, files, values } = order
  const large = [
    ...largeBodies(email.content),
    ...(raw === null ? [] : [raw]),
    ...files.map(({ content }) => content),
    ...(values ?? []),
  ]
  const { html = '', text = '', amp = '' } = email.content
  const weight = [html, text, amp].reduce((sum, body) => sum + body.length, 0) + octetsOf(large)
  if (values === null && weight <= SMALL_BODY) return checkAgain(order)
  const transfer = [...new Set(buffersBeneath(large))]
  return await deps.workers.run(job, order, { company: companyId, weight, transfer })
}

function octetsOf(all: readonly Uint8Array[]): number {
  return all.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

async function filesOf(store: ResentEmails, id: string): Promise<SendAgainJobInput['files']> {
  const files: SendAgainJobInput['files'] = []
  for (const file of await store.listFiles(id)) {
    const content = await store.readFile(id, file.position)
    if (content === null) throw new OperateError('not_found', 'one of its files is gone')
    files.push({ ...file, content })
  }
  return files
}

/**
 * Reads the values in pieces: those of all recipients, or only those of the first one when the new email goes to
 * others.
 */
async function valuesOf(
  store: ResentEmails,
  id: string,
  recipients: number,
  to: string | undefined,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for (let from = 0; from < recipients; from += AT_ONCE) {
    const range = { from, limit: to === undefined ? AT_ONCE : 1, octets: Number.MAX_SAFE_INTEGER }
    const some = await store.readValues(id, range)
    if (some.length > 0) pieces.push(Buffer.from(JSON.stringify(some)))
    if (to !== undefined) break
  }
  return pieces
}
