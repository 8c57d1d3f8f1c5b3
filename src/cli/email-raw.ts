/** The bytes of an email: those the capture kept, else composed and signed again, which gives the same bytes. */
import { BOUNDARIES } from '../accounts/seal.ts'
import { openSeal } from '../accounts/secret-key.ts'
import { prepareMessage } from '../delivery/prepare.ts'
import { SigningKeys } from '../delivery/signing-keys.ts'
import { Boundaries } from '../mail/compose/boundary.ts'
import { messageFor } from '../queue/deliveries.ts'
import type { EmailHistory } from '../store/store.ts'
import { CommandFailed } from './failure.ts'
import type { Opened } from './open.ts'

export interface RawCopy {
  /** The recipients this copy is for. */
  addresses: string[]
  message: Buffer
}

/** At least one copy: all of them, or the one for `recipient`. Throws CommandFailed when there is none. */
export async function rawCopies(
  opened: Opened,
  history: EmailHistory,
  recipient: string | undefined,
): Promise<RawCopy[]> {
  const { id } = history.email
  const address = new Map(history.recipients.map(({ position, address }) => [position, address]))
  if (recipient !== undefined && ![...address.values()].includes(recipient)) {
    throw new CommandFailed(`"${recipient}" is not a recipient of this email; see: postroad email show ${id}`)
  }
  const captured = (await opened.store.readCaptured(id)).map(({ recipients, raw }) => ({
    addresses: recipients.map((position) => address.get(position)!),
    message: Buffer.from(raw),
  }))
  const copies = captured.length > 0 ? captured : await composed(opened, id)
  const chosen =
    recipient === undefined ? copies : copies.filter(({ addresses }) => addresses.includes(recipient))
  if (chosen.length > 0) return chosen
  throw new CommandFailed(
    history.email.contentRemoved
      ? 'the content of this email was removed when its retention time was over'
      : 'there is no copy of this email yet: it has not been delivered',
  )
}

async function composed({ settings, store, accounts }: Opened, id: string): Promise<RawCopy[]> {
  const work = await store.readWork(id)
  if (!work) return []
  const domain = accounts.domains.find((each) => each.id === work.domainId)
  const seal = await openSeal(settings, accounts)
  const signing = domain ? new SigningKeys(seal).of(domain) : []
  const boundaries = new Boundaries(seal.derive(BOUNDARIES))
  const groups = work.individual ? work.recipients.map((each) => [each]) : [work.recipients]
  return Promise.all(
    groups.map(async (recipients) => {
      const prepared = prepareMessage(
        { emailId: id, message: messageFor(work, recipients), signing },
        { boundaries },
      )
      const { chunks } = await prepared({ eightBitMime: true, smtpUtf8: true })
      return { addresses: recipients.map((each) => each.address), message: Buffer.concat(chunks) }
    }),
  )
}
