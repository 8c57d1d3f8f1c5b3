import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Info } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import { declineInvitation, type LinkPreview, type Me, takeLink } from '../../api/session.ts'
import { FormError } from '../../parts/form-error.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { ROLE_WORDS } from '../team/roles.ts'
import { Card } from './card.tsx'

interface LinkProps {
  token: string
  content: LinkPreview
  /** Called after the link was used. */
  onUsed: (me: Me) => void
  /** Called if the person leaves the link unused. */
  onLeave: () => void
}

/** An invitation. Opening the link changes nothing: the person joins the company by a click on Accept. */
export function InvitationCard({
  token,
  content: { name, invitation, signedInAs, isOwn },
  onUsed,
  onLeave,
  onSignIn,
}: LinkProps & { onSignIn: () => void }) {
  const isAnother = signedInAs !== null && !isOwn
  const accept = useMutation({ mutationFn: () => takeLink(token, isAnother), onSuccess: onUsed })
  const decline = useMutation({ mutationFn: () => declineInvitation(token), onSuccess: onLeave })
  const isBusy = accept.isPending || decline.isPending
  const hasAccount = accept.error instanceof ApiError && accept.error.code === 'conflict'
  const { company, role, inviter, expiresAt } = invitation!
  const { label, about } = ROLE_WORDS[role]
  return (
    <Card
      title="You are invited"
      about={
        <>
          {inviter === null ? 'An operator' : <UntrustedText>{inviter}</UntrustedText>} invites{' '}
          <UntrustedText>{name}</UntrustedText> to the company{' '}
          <b>
            <UntrustedText>{company}</UntrustedText>
          </b>{' '}
          as {label.toLowerCase()}.
        </>
      }
    >
      <FormError error={accept.error ?? decline.error} />
      <Text size="sm">
        {label}: {about}.
      </Text>
      <Text size="sm">
        If you accept, owners of the company see when you sign in, from which IP address and with which
        browser. Decline if you do not know who invited you.
      </Text>
      {isAnother && (
        <Alert variant="light" p="xs" icon={<Info aria-hidden />}>
          You are signed in as <UntrustedText>{signedInAs}</UntrustedText>. Accepting signs you out and
          creates an account for <UntrustedText>{name}</UntrustedText>.
        </Alert>
      )}
      <Stack gap="xs">
        {hasAccount ? (
          <Button onClick={onSignIn}>Sign in</Button>
        ) : (
          <Button disabled={decline.isPending} loading={accept.isPending} onClick={() => accept.mutate()}>
            Accept
          </Button>
        )}
        <Button
          variant="default"
          disabled={isBusy}
          loading={decline.isPending}
          onClick={() => decline.mutate()}
        >
          Decline
        </Button>
      </Stack>
      <Text c="dimmed" size="xs">
        The invitation expires <Time at={expiresAt} />.
      </Text>
    </Card>
  )
}

/** A sign-in link of one person, opened in a browser in which another person is signed in. */
export function AnotherPersonCard({ token, content: { name, signedInAs }, onUsed, onLeave }: LinkProps) {
  const use = useMutation({ mutationFn: () => takeLink(token, true), onSuccess: onUsed })
  return (
    <Card
      title="Sign in as somebody else?"
      about={
        <>
          You are signed in as <UntrustedText>{signedInAs ?? ''}</UntrustedText>. This link signs you out, and
          then in as <UntrustedText>{name}</UntrustedText>.
        </>
      }
    >
      <FormError error={use.error} />
      <Stack gap="xs">
        <Button disabled={use.isPending} onClick={onLeave}>
          Stay signed in
        </Button>
        <Button variant="default" loading={use.isPending} onClick={() => use.mutate()}>
          Sign in as the other person
        </Button>
      </Stack>
    </Card>
  )
}
