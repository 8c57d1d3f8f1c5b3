import { Stack } from '@mantine/core'
import { PageHead } from '../../parts/page-head.tsx'
import { Alerts } from './alerts.tsx'
import { Identities } from './identities.tsx'
import { Memberships } from './memberships.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { ProofProvider } from './proof.tsx'
import { Sessions } from './sessions.tsx'
import { TwoStep } from './two-step.tsx'

export function AccountPage() {
  return (
    <ProofProvider>
      <PageHead title="Your account" about="Your profile, and how you sign in." />
      <Stack gap="md" maw={820}>
        <Profile />
        <Password />
        <TwoStep />
        <Passkeys />
        <Identities />
        <Memberships />
        <Alerts />
        <Sessions />
      </Stack>
    </ProofProvider>
  )
}
