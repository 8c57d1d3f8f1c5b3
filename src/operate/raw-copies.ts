/** The octets of an email: captured ones, or else composed and signed again, which gives the same octets. */
import { AccountDirectory } from '../accounts/directory.ts'
import { BOUNDARIES } from '../accounts/seal.ts'
import type { CopyJobInput } from '../delivery/copy-job.ts'
import { type DeliveryMessage, LARGE_MESSAGE } from '../delivery/delivery.ts'
import { messageFor } from '../delivery/message.ts'
import { prepareMessage } from '../delivery/prepare.ts'
import { SigningKeys } from '../delivery/signing-keys.ts'
import { weightOf } from '../delivery/weight.ts'
import type { RecipientOutline } from '../email/stored-email.ts'
import { unsubscribeLinks } from '../email/unsubscribe-link.ts'
import { largeBodies } from '../mail/body.ts'
import { Boundaries } from '../mail/compose/boundary.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../store/store.ts'
import { asBuffer, buffersBeneath, jobAt } from '../workers/job.ts'
import { OperateError } from './error.ts'
import { noSuchEmail, requireEmail } from './find.ts'
import { type Operation, verb } from './verb.ts'

const job = jobAt<CopyJobInput, Uint8Array>(new URL('../delivery/copy-job.ts', import.meta.url))

export interface RawCopy {
  /** The recipients of this copy. */
  addresses: string[]
  message: Buffer
}

export interface CopyRequest {
  id: string
  /** A recipient's address; absent: the first copy. */
  recipient?: string | undefined
}

/** One copy. Reads or composes no other copy, because a batch may have a thousand. */
export const rawCopy = verb('read', async (op, { id, recipient }: CopyRequest): Promise<RawCopy> => {
  const recipients = await recipientsOf(op, id)
  const position = recipient === undefined ? null : positionOf(recipients, id, recipient)
  const captured = await op.store.readCapturedCopy(id, position)
  if (captured !== null) return capturedCopy(recipients, captured)
  // While a batch is being captured, its remaining copies are composed here; they will be captured with the same
  // octets.
  const work = await workOf(op, id, position ?? 0)
  const [group] = groupsOf(work)
  // Retention may have removed it meanwhile.
  if (group === undefined) throw noSuchEmail(id)
  return await composeCopy(op, work, group)
})

/** All copies, or the one for `recipient`, however large: for the command line. */
export const rawCopies = verb('read', async (op, { id, recipient }: CopyRequest): Promise<RawCopy[]> => {
  if (recipient !== undefined) return [await rawCopy(op, { id, recipient })]
  const recipients = await recipientsOf(op, id)
  const captured = await op.store.readCaptured(id)
  if (captured.length > 0) return captured.map((copy) => capturedCopy(recipients, copy))
  const work = await workOf(op, id)
  return await Promise.all(groupsOf(work).map((group) => composeCopy(op, work, group)))
})

async function recipientsOf(op: Operation, id: string): Promise<RecipientOutline[]> {
  await requireEmail(op, id)
  const recipients = await op.store.readRecipients(id, { from: 0, limit: 1_000_000 })
  // Retention may have removed it meanwhile.
  if (recipients.length === 0) throw noSuchEmail(id)
  return recipients
}

function positionOf(recipients: readonly RecipientOutline[], id: string, address: string): number {
  const found = recipients.find((each) => each.address === address)
  if (found !== undefined) return found.position
  throw new OperateError('not_found', `"${address}" is not a recipient of this email`, {
    verb: 'showEmail',
    id,
  })
}

function capturedCopy(
  recipients: readonly RecipientOutline[],
  { recipients: positions, raw }: { recipients: number[]; raw: Uint8Array },
): RawCopy {
  const addresses = new Map(recipients.map(({ position, address }) => [position, address]))
  return { addresses: positions.map((position) => addresses.get(position)!), message: asBuffer(raw) }
}

async function workOf({ store }: Operation, id: string, copy?: number): Promise<ClaimedEmail> {
  const work = await store.readWork(id, copy)
  if (work !== null) return work
  const why = 'the content of this email was removed at the end of its retention period'
  throw new OperateError('not_found', why)
}

/** Groups of recipients that share a copy. */
function groupsOf({ individual, recipients }: ClaimedEmail): ClaimedRecipient[][] {
  return individual ? recipients.map((each) => [each]) : [recipients]
}

async function composeCopy(op: Operation, work: ClaimedEmail, group: ClaimedRecipient[]): Promise<RawCopy> {
  const directory = new AccountDirectory()
  directory.replace(op.accounts)
  const domain = directory.signingDomain(work)
  const seal = await op.seal()
  const signing = domain ? new SigningKeys(seal).keysOf(domain) : []
  const message = messageFor(work, group, unsubscribeLinks(op.publicUrl, seal), null)
  const boundaries = new Boundaries(seal.derive(BOUNDARIES))
  const composable = { email: { id: work.id, companyId: work.companyId }, message, signing }
  return { addresses: group.map(({ address }) => address), message: await octetsOf() }

  async function octetsOf(): Promise<Buffer> {
    const weight = weightOf(message)
    if (op.workers === null || weight < LARGE_MESSAGE) {
      const prepared = prepareMessage(composable, { boundaries })
      const { chunks } = await prepared({ eightBitMime: true, smtpUtf8: true })
      return Buffer.concat(chunks)
    }
    const order = { ...composable, boundary: boundaries.boundaryOf(work.id) }
    // These octets were read for this copy alone, so they can be transferred, unless the driver keeps more in the same
    // buffer.
    const own = octetsIn(message).filter(({ byteLength, buffer }) => byteLength === buffer.byteLength)
    const transfer = buffersBeneath(own)
    return asBuffer(await op.workers.run(job, order, { company: work.companyId, weight, transfer }))
  }
}

function octetsIn(message: DeliveryMessage): Uint8Array[] {
  if (message.kind === 'raw') return [message.raw]
  const { content } = message
  return [...content.attachments.map((file) => file.content), ...largeBodies(content)]
}
