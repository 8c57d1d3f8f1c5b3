/** The first five minutes: a test message, then the steps that remain before real mail is delivered. */
import { Stack } from '@mantine/core'
import { useMe } from '../../api/session.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { GoLive } from './go-live.tsx'
import { TestMessage } from './test-message.tsx'

export function StartPage() {
  const { companies, installation } = useMe()
  const chosen = useCompany()
  // A message belongs to one company, so `all` falls back to the first.
  const company = chosen === ALL ? companies[0]?.id : chosen
  const captured = installation.delivery === 'capture'
  return (
    <>
      <PageHead
        title="Get started"
        about={
          captured
            ? 'Capture mode: every message is composed, signed and kept here. No mail leaves this machine.'
            : 'Mail leaves this machine. Send the first message to your own address.'
        }
      />
      <Stack gap="xl" maw={820}>
        {company !== undefined && <TestMessage company={company} />}
        <GoLive company={company ?? null} />
      </Stack>
    </>
  )
}
