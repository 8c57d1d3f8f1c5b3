/** Mails the link of an invitation, as far as its pace allows. */
import type { Log } from '../common/logging.ts'
import { INVITATION_TOKEN, invitationVariables } from '../email/mailed-links.ts'
import { signInUrl } from '../people/link.ts'
import type { Invitation } from '../people/person.ts'
import { countMail } from './invitation-pace.ts'
import { isPlainName, mailedName } from './mailed-name.ts'
import { isoTime } from './shapes/time.ts'
import type { Operation } from './verb.ts'

export interface InvitationMailer {
  /** Null: the service sends no mail. */
  systemMail: {
    send(message: {
      to: string
      subject: string
      text: string
      key: string
      variables: Record<string, string>
    }): Promise<void>
  } | null
  log: Log
}

/** If the link was not mailed, the inviter can still pass it on. */
export interface MailedInvitation {
  mailed: boolean
  /** Unix ms: when the address may be mailed again; null: nothing that was mailed before stands in the way. */
  nextMailAt: number | null
}

/**
 * Never rejects because of the mail: the invitation has been made. In capture mode nothing is mailed, because no
 * captured email has a link that works.
 */
export async function mailInvitation(
  { accounts, store, setup, now }: Pick<Operation, 'accounts' | 'store' | 'setup' | 'now'>,
  { systemMail, log }: InvitationMailer,
  invitation: Invitation,
  base: string,
): Promise<MailedInvitation> {
  const { id, address, companyId } = invitation
  // The accounts of the operation, and not those that the caller may see, have the operator's name.
  const company = accounts.companies.find((each) => each.id === companyId)
  if (systemMail === null || setup.delivery.kind === 'capture' || company === undefined) {
    return { mailed: false, nextMailAt: null }
  }
  let takeBack = async () => {}
  try {
    const counted = await countMail(store, { address, companyId }, now())
    if ('nextAt' in counted) {
      log.warn({ companyId, invitation: id }, 'Did not mail an invitation: too many were mailed before it')
      return { mailed: false, nextMailAt: counted.nextAt }
    }
    takeBack = counted.takeBack
    const words = wordsOf(invitation, mailedName(company), signInUrl(base, INVITATION_TOKEN))
    const variables = invitationVariables(id)
    await systemMail.send({ to: address, ...words, variables, key: `invitation:${id}` })
    return { mailed: true, nextMailAt: null }
  } catch (error) {
    log.warn({ err: error }, 'Could not mail an invitation')
    await takeBack().catch((error) => log.warn({ err: error }, 'Could not take back the count of a mail'))
    return { mailed: false, nextMailAt: null }
  }
}

/** The inviter's address is left out: nobody has proved that it is the inviter's. The page of the link shows it. */
function wordsOf({ inviterName, expiresAt }: Invitation, company: string, link: string) {
  const isNamed = inviterName !== null && isPlainName(inviterName)
  const inviter = isNamed ? `${inviterName} invites you` : 'You are invited'
  const text = [
    `${inviter} to ${company} on Postroad.`,
    '',
    `See who invites you, and accept the invitation: ${link}`,
    '',
    `The link works once, until ${isoTime(expiresAt)}.`,
    '',
  ].join('\n')
  return { subject: `Invitation to ${company}`, text }
}
