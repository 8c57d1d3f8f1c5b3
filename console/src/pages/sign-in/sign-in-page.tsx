import { Anchor, Button, Center, Code, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { connectIdentity } from '../../api/account.ts'
import { queries } from '../../api/queries.ts'
import {
  type LinkPreview,
  type Me,
  readLink,
  returnFromProvider,
  sessionQuery,
  takeLink,
  waysQuery,
} from '../../api/session.ts'
import { FormError } from '../../parts/form-error.tsx'
import { arrival, takeConnecting, takeTarget } from './arrival.ts'
import { Card } from './card.tsx'
import { ChoosePassword } from './choose-password.tsx'
import { ForgottenPassword } from './forgotten-password.tsx'
import { AnotherPersonCard, InvitationCard } from './link-choice.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

type SignInStep =
  | { at: 'arriving' }
  | { at: 'start'; error: Error | null }
  | { at: 'code'; ticket: string }
  | { at: 'link'; link: OpenedLink }
  | { at: 'declined' }
  | { at: 'forgotten' }
  | { at: 'choose'; me: Me }
  | { at: 'not-connected'; error: Error }

/** A link that is used only after the person has confirmed. */
interface OpenedLink {
  token: string
  content: LinkPreview
}

/** A token or redirect works only once, however often the page is mounted. */
let arriving: Promise<Me | OpenedLink> | null = null
let connecting = false

/** The address of the page while the person chooses a password: the link is used, and a reload finds the session. */
function choosing(target: string) {
  const search = { choose: true, ...(target !== '/' && { to: target }) } as const
  return { to: '/sign-in', search, replace: true } as const
}

/** A sign-in link is used at once if nobody else is signed in: only operators create such links. */
async function followLink(token: string): Promise<Me | OpenedLink> {
  const content = await readLink(token)
  const { kind, signedInAs, isOwn } = content
  return kind === 'sign-in' && (signedInAs === null || isOwn) ? await takeLink(token) : { token, content }
}

/** `choose`: the person has signed in by a link, and the page may have been loaded again since. */
function arrive(choose: boolean): Promise<Me | OpenedLink> | null {
  const { token, openid } = arrival
  if (choose) arriving = queries.ensureQueryData(sessionQuery)
  if (token !== null) arriving = followLink(token)
  if (openid !== null) {
    connecting = takeConnecting()
    arriving = connecting ? connectIdentity(openid) : returnFromProvider(openid)
  }
  Object.assign(arrival, { token: null, openid: null })
  return arriving
}

export function SignInPage() {
  const { to = '/', choose = false } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [step, setStep] = useState<SignInStep>({ at: 'arriving' })
  const [target, setTarget] = useState(to)
  /** The token of a link to open after the person has signed in. */
  const [waiting, setWaiting] = useState<string | null>(null)
  const leave = () => navigate({ to: target, replace: true })
  const arrived = (me: Me) => void (needsPassword(me) ? navigate(choosing(target)) : leave())
  const done = () => {
    if (waiting === null) return void leave()
    setWaiting(null)
    readLink(waiting)
      .then((content) => setStep({ at: 'link', link: { token: waiting, content } }))
      .catch((error: Error) => setStep({ at: 'start', error }))
  }
  useEffect(() => {
    const pending = arrive(choose)
    if (pending === null) return setStep({ at: 'start', error: null })
    const kept = takeTarget() ?? to
    setTarget(kept)
    pending
      .then((came) => {
        if ('token' in came) return setStep({ at: 'link', link: came })
        if (!needsPassword(came)) return navigate({ to: kept, replace: true })
        if (choose) return setStep({ at: 'choose', me: came })
        return navigate(choosing(kept))
      })
      .catch((error: Error) => {
        if (choose) setStep({ at: 'start', error: null })
        else setStep({ at: connecting ? 'not-connected' : 'start', error })
      })
      .finally(() => {
        arriving = null
      })
  }, [navigate, to, choose])
  if (step.at === 'arriving') {
    return (
      <Center component="main" mih="100vh">
        <Loader role="img" aria-label="Signing in" />
      </Center>
    )
  }
  if (step.at === 'not-connected') {
    return (
      <Card title="The account was not connected">
        <FormError error={step.error} />
        <Button onClick={leave}>Back to your account</Button>
      </Card>
    )
  }
  if (step.at === 'link') {
    const { link } = step
    if (link.content.kind === 'sign-in')
      return <AnotherPersonCard {...link} onUsed={arrived} onLeave={leave} />
    const signIn = () => {
      setWaiting(link.token)
      setStep({ at: 'start', error: null })
    }
    const decline = () => setStep({ at: 'declined' })
    return <InvitationCard {...link} onUsed={arrived} onLeave={decline} onSignIn={signIn} />
  }
  if (step.at === 'forgotten')
    return <ForgottenPassword onBack={() => setStep({ at: 'start', error: null })} />
  if (step.at === 'declined') {
    return (
      <Card title="Invitation declined" about="The link no longer works, and you did not join the company.">
        <Button variant="default" onClick={leave}>
          Go to the console
        </Button>
      </Card>
    )
  }
  if (step.at === 'choose') {
    return (
      <Card title="Choose a password" about="You sign in with it from now on. The link does not work again.">
        <ChoosePassword me={step.me} onDone={leave} />
      </Card>
    )
  }
  if (step.at === 'code') {
    return (
      <Card title="One more step" about="Two-step verification is on for your account.">
        <SecondFactor
          ticket={step.ticket}
          onDone={done}
          onEnded={(error) => setStep({ at: 'start', error })}
        />
      </Card>
    )
  }
  return (
    <Card title="Sign in to Postroad">
      <FormError error={step.error} />
      <PasswordForm onDone={done} onTicket={(ticket) => setStep({ at: 'code', ticket })} />
      <OtherWays to={target} onDone={done} />
      <NoPassword onForgotten={() => setStep({ at: 'forgotten' })} />
    </Card>
  )
}

/** Help for people without a password. */
function NoPassword({ onForgotten }: { onForgotten: () => void }) {
  const { data: ways } = useQuery(waysQuery)
  if (ways === undefined) return null
  if (ways.forgotten) {
    return (
      <Anchor component="button" type="button" size="sm" ta="center" onClick={onForgotten}>
        Forgot password?
      </Anchor>
    )
  }
  return (
    <Text c="dimmed" size="xs">
      No password yet, or forgotten it? An operator of this installation can make a link that signs you in: on
      the server, <Code>bin/postroad user link</Code> prints it.
    </Text>
  )
}

/**
 * Whether the person would need another link to sign in again. In capture mode on a developer's own machine, the
 * link leads straight to the inbox, and the console asks for no password.
 */
function needsPassword({ person, installation }: Me): boolean {
  if (person.password || person.passkeys > 0 || person.identities > 0) return false
  return !(installation.delivery === 'capture' && onLoopback())
}

function onLoopback(): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/.test(window.location.hostname)
}
