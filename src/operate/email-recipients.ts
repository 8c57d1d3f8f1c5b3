/** Actions on chosen recipients of an email. A refusal of one recipient does not end the action on the others. */
import type { RecipientOutline } from '../email/stored-email.ts'
import type { Suppression } from '../email/suppression.ts'
import { addressesAudit } from './audit-trail.ts'
import { type AddressesOutcome, type BatchOutcome, inBatch } from './batch.ts'
import { OperateError } from './error.ts'
import { requireEmail } from './find.ts'
import { noRetryReason, retry } from './queue.ts'
import { addSuppression, addSuppressions } from './suppressions.ts'
import { type Operation, verb } from './verb.ts'

export interface RecipientSelection {
  /** The id of the email. */
  id: string
  positions: readonly number[]
}

/** The `id` of a refusal is the position of its recipient. */
export const retryRecipients = verb(
  'manage',
  (op, chosen: RecipientSelection): Promise<BatchOutcome> =>
    eachRecipient(op, chosen, async ({ position, state }) => {
      if (state !== 'waiting') throw notWaiting('retry', state)
      const { id: email, positions } = chosen
      const retried = await retry(op, { email, position, isOneOfMany: positions.length > 1 })
      if (retried.retried === 0) throw new OperateError('nothing_to_do', noRetryReason(retried))
    }),
  null,
)

/** A recipient who is being sent to ends as canceled unless the server accepts the message in this attempt. */
export const cancelRecipients = verb(
  'manage',
  (op, chosen: RecipientSelection): Promise<BatchOutcome> =>
    eachRecipient(op, chosen, async ({ position }) => {
      const { canceled, sending } = await op.store.cancel(chosen.id, op.now(), position)
      if (canceled + sending > 0) return
      throw notWaiting('cancel', (await recipientAt(op, chosen.id, position)).state)
    }),
  null,
)

/** Suppresses these recipients of one email. */
export const suppressChosenRecipients = verb(
  'manage',
  async (op, chosen: RecipientSelection): Promise<AddressesOutcome> => {
    const addresses: string[] = []
    const result = await eachRecipient(op, chosen, async ({ address }, company) => {
      const [entry] = await addSuppressions(op, { company, entries: [{ address, type: 'manual' }] })
      if (!entry!.added) throw new OperateError('nothing_to_do', 'it is on the suppression list already')
      addresses.push(entry!.suppression.address)
    })
    return { ...result, addresses }
  },
  addressesAudit('suppressChosenRecipients', ({ positions }: RecipientSelection) => positions.length),
)

/** One after the other, so that other callers take their turns in between. */
async function eachRecipient(
  op: Operation,
  { id, positions }: RecipientSelection,
  act: (recipient: RecipientOutline, companyId: string) => Promise<unknown>,
): Promise<BatchOutcome> {
  const { companyId } = await requireEmail(op, id)
  return await inBatch(positions.map(String), async (text) => {
    await act(await recipientAt(op, id, Number(text)), companyId)
  })
}

/** Throws `not_found`. */
async function recipientAt(op: Operation, id: string, position: number): Promise<RecipientOutline> {
  const [recipient] = await op.store.readRecipients(id, { from: position, limit: 1 })
  if (recipient === undefined) throw new OperateError('not_found', 'the email has no such recipient')
  return recipient
}

function notWaiting(what: 'retry' | 'cancel', state: RecipientOutline['state']): OperateError {
  return new OperateError('nothing_to_do', `nothing to ${what}: it is ${STATES[state]}`)
}

const STATES: Readonly<Record<RecipientOutline['state'], string>> = {
  waiting: 'due already',
  sending: 'being sent',
  quarantined: 'in quarantine',
  delivered: 'delivered',
  bounced: 'bounced',
  failed: 'failed',
  suppressed: 'suppressed',
  canceled: 'canceled',
}

/** Suppresses the recipient's address. Recorded in the audit list as `addSuppression`. */
export const suppressRecipient = verb(
  'manage',
  async (
    op,
    { id, position, reason }: { id: string; position: number; reason?: string | undefined },
  ): Promise<Suppression> => {
    const { companyId: company } = await requireEmail(op, id)
    const { address } = await recipientAt(op, id, position)
    return await addSuppression(op, { company, address, type: 'manual', reason })
  },
  null,
)
