import type { SentInvitation } from '../../api/team.ts'
import { OneTimeLink } from './one-time-link.tsx'
import { ROLE_WORDS } from './roles.ts'

/** The link of a new invitation. */
export function InvitationLink({
  made: { invitation, link, mailed, nextMailAt },
  onClose,
}: {
  made: SentInvitation
  onClose: () => void
}) {
  return (
    <OneTimeLink
      link={link}
      expiresAt={invitation.expiresAt}
      mailed={mailed}
      nextMailAt={nextMailAt}
      title={`Invitation for ${invitation.address} as ${ROLE_WORDS[invitation.role].label.toLowerCase()}`}
      onClose={onClose}
    />
  )
}
