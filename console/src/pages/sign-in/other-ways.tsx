import { Button, Divider, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeySquare, LogIn } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError } from '../../api/client.ts'
import { signInWithPasskey, supportsAutofill, supportsPasskeys, wasCanceled } from '../../api/passkeys.ts'
import { goToProvider, waysQuery } from '../../api/session.ts'
import { FormError } from '../../parts/form-error.tsx'
import { keepTarget } from './arrival.ts'

/**
 * Sign-in with a passkey, and with a provider if the installation has one. The address field offers passkeys,
 * too.
 */
export function OtherWays({ to, onDone }: { to: string; onDone: () => void }) {
  const { data: ways } = useQuery(waysQuery)
  const passkey = useMutation({ mutationFn: () => signInWithPasskey(), onSuccess: onDone })
  const provider = useMutation({
    mutationFn: () => {
      keepTarget(to)
      return goToProvider()
    },
  })
  const { mutate: offer, error: offered } = useMutation({
    mutationFn: async () => {
      if (!(await supportsAutofill())) return false
      await signInWithPasskey(true)
      return true
    },
    onSuccess: (done) => done && onDone(),
  })
  useEffect(() => offer(), [offer])
  if (!supportsPasskeys && !ways?.openid) return null
  // Errors of the browser about autofill are ignored, since the person did not ask for it.
  const refused = offered instanceof ApiError ? offered : null
  const error = [passkey.error, refused, provider.error].find((each) => each && !wasCanceled(each))
  return (
    <Stack gap="sm">
      <Divider label="or" />
      <FormError error={error ?? null} />
      {supportsPasskeys && (
        <Button
          variant="default"
          leftSection={<KeySquare size={18} aria-hidden />}
          loading={passkey.isPending}
          onClick={() => passkey.mutate()}
        >
          Sign in with a passkey
        </Button>
      )}
      {ways?.openid && (
        <Button
          variant="default"
          leftSection={<LogIn size={18} aria-hidden />}
          loading={provider.isPending || provider.isSuccess}
          onClick={() => provider.mutate()}
        >
          Sign in with {ways.openid}
        </Button>
      )}
    </Stack>
  )
}
