import { Center, Code, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { signInWithLink } from '../../api/session.ts'
import { Trouble } from '../../parts/trouble.tsx'

/** The token of a link stands behind `#`, which no server and no log gets to see. It is taken out of the address at once. */
function takeToken(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token')
  if (token !== null) window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return token
}

let linked: ReturnType<typeof signInWithLink> | null = null

export function SignInPage() {
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [error, setError] = useState<Error | null>(null)
  const [waiting, setWaiting] = useState(true)
  useEffect(() => {
    document.title = 'Sign in - Postroad'
    const token = takeToken()
    if (token !== null) linked = signInWithLink(token)
    if (linked === null) return setWaiting(false)
    linked
      .then(() => navigate({ to, replace: true }))
      .catch((reason: Error) => {
        setError(reason)
        setWaiting(false)
      })
      .finally(() => {
        linked = null
      })
  }, [navigate, to])
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Stack gap="sm">
          <img src="/console/icon.svg" width={40} height={40} alt="" />
          <Title order={1} size="h2">
            Sign in to Postroad
          </Title>
          {error && <Trouble error={error} />}
          {waiting ? (
            <Loader aria-label="Signing in" />
          ) : (
            <Text>
              Ask for a link that signs you in: on the server, <Code>bin/postroad user link</Code> prints one.
            </Text>
          )}
        </Stack>
      </Paper>
    </Center>
  )
}
