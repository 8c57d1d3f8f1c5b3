/** Mails the link of an invitation, as far as its pace allows. */
import type { Company } from '../accounts/account.ts'
import type { Log } from '../common/logging.ts'
import type { AttemptCounter } from '../people/attempts.ts'
import { countMail } from '../people/mail-pace.ts'
import type { Invitation } from '../people/person.ts'
import { isPlainName, mailedName } from './mailed-name.ts'
import { isoTime } from './shapes.ts'

export interface InvitationMailer {
  /** Null: the service sends no mail. */
  systemMail: {
    send(message: { to: string; subject: string; text: string; key: string }): Promise<void>
  } | null
  store: AttemptCounter
  log: Log
  /** Unix ms. */
  now(): number
}

export interface InvitationLink {
  invitation: Invitation
  company: Company
  link: string
}

/** If the link was not mailed, the inviter can still pass it on. */
export interface MailedInvitation {
  mailed: boolean
  /** Unix ms: when the address may be mailed again; null: nothing was mailed before that stands in the way. */
  nextMailAt: number | null
}

/** Never rejects because of the mail: the invitation has been made. */
export async function mailInvitation(
  { systemMail, store, log, now }: InvitationMailer,
  made: InvitationLink,
): Promise<MailedInvitation> {
  const { id, address, companyId } = made.invitation
  if (systemMail === null) return { mailed: false, nextMailAt: null }
  const counted = await countMail(store, { address, companyId }, now())
  if ('nextAt' in counted) {
    log.warn({ companyId, invitation: id }, 'Did not mail an invitation: too many were mailed before it')
    return { mailed: false, nextMailAt: counted.nextAt }
  }
  try {
    await systemMail.send({ to: address, ...wordsOf(made), key: `invitation:${id}` })
    return { mailed: true, nextMailAt: null }
  } catch (error) {
    log.warn({ err: error }, 'Could not mail an invitation')
    await counted.takeBack()
    return { mailed: false, nextMailAt: null }
  }
}

/** The inviter's address is left out: nobody has proved that it is the inviter's. The page of the link shows it. */
function wordsOf({ invitation: { inviterName, expiresAt }, company, link }: InvitationLink) {
  const name = mailedName(company)
  const isNamed = inviterName !== null && isPlainName(inviterName)
  const inviter = isNamed ? `${inviterName} invites you` : 'You are invited'
  const text = [
    `${inviter} to ${name} on Postroad.`,
    '',
    `See who invites you, and accept the invitation: ${link}`,
    '',
    `The link works once, until ${isoTime(expiresAt)}.`,
    '',
  ].join('\n')
  return { subject: `Invitation to ${name}`, text }
}
