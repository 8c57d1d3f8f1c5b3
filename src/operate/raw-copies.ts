/** The octets of an email: those the capture kept, else composed and signed again, which gives the same. */
import { AccountDirectory } from '../accounts/directory.ts'
import { BOUNDARIES } from '../accounts/seal.ts'
import { messageFor } from '../delivery/message.ts'
import { prepareMessage } from '../delivery/prepare.ts'
import { SigningKeys } from '../delivery/signing-keys.ts'
import type { EmailHistory } from '../email/stored-email.ts'
import { unsubscribeLinks } from '../email/unsubscribe-link.ts'
import { Boundaries } from '../mail/compose/boundary.ts'
import { historyOf } from './emails.ts'
import { OperateError } from './error.ts'
import { type Operation, verb } from './verb.ts'

export interface RawCopy {
  /** The recipients this copy is for. */
  addresses: string[]
  message: Buffer
}

export interface CopiesWanted {
  id: string
  recipient?: string | undefined
  first?: boolean | undefined
}

/** At least one copy: all of them, the `first`, or with `recipient` (an address) the one for it. */
export const rawCopies = verb('read', async (op, input: CopiesWanted): Promise<RawCopy[]> => {
  const { id, recipient, first = false } = input
  const history = await historyOf(op, id)
  const addresses = new Map(history.recipients.map(({ position, address }) => [position, address]))
  if (recipient !== undefined && ![...addresses.values()].includes(recipient)) {
    throw new OperateError('not_found', `"${recipient}" is not a recipient of this email`, {
      verb: 'showEmail',
      id,
    })
  }
  const captured = (await op.store.readCaptured(id)).map(({ recipients, raw }) => ({
    addresses: recipients.map((position) => addresses.get(position)!),
    message: Buffer.from(raw),
  }))
  const kept =
    recipient === undefined ? captured : captured.filter((copy) => copy.addresses.includes(recipient))
  // Of a batch that is being captured the others are still to come: they will be the same octets.
  const chosen = kept.length > 0 ? kept : await composed(op, input)
  if (chosen.length === 0) throw noCopy(history)
  return first ? chosen.slice(0, 1) : chosen
})

function noCopy({ email }: EmailHistory): OperateError {
  return new OperateError(
    'not_found',
    email.contentRemoved
      ? 'the content of this email was removed when its retention time was over'
      : 'there is no copy of this email yet: it has not been delivered',
  )
}

/** Only what is wanted is composed: a batch may have a thousand copies. */
async function composed(
  { store, accounts, publicUrl, seal: openSeal }: Operation,
  { id, recipient, first = false }: CopiesWanted,
): Promise<RawCopy[]> {
  const work = await store.readWork(id)
  if (!work) return []
  const directory = new AccountDirectory()
  directory.replace(accounts)
  const domain = directory.signingDomain(work)
  const seal = await openSeal()
  const signing = domain ? new SigningKeys(seal).of(domain) : []
  const links = unsubscribeLinks(publicUrl, seal)
  const boundaries = new Boundaries(seal.derive(BOUNDARIES))
  const groups = work.individual ? work.recipients.map((each) => [each]) : [work.recipients]
  const wanted = groups.filter((group, index) => {
    if (recipient !== undefined) return group.some(({ address }) => address === recipient)
    return !first || index === 0
  })
  return Promise.all(
    wanted.map(async (recipients) => {
      const prepared = prepareMessage(
        { email: work, message: messageFor(work, recipients, links), signing },
        { boundaries },
      )
      const { chunks } = await prepared({ eightBitMime: true, smtpUtf8: true })
      return { addresses: recipients.map((each) => each.address), message: Buffer.concat(chunks) }
    }),
  )
}
