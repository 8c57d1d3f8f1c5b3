/** The first five minutes: a message that one has sent oneself, then everything that is left before mail arrives. */
import { Stack } from '@mantine/core'
import { useMe } from '../../api/session.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany } from '../../shell/company.ts'
import { GoLive } from './go-live.tsx'
import { TestMessage } from './test-message.tsx'

export function StartPage() {
  const { companies, installation } = useMe()
  const chosen = useCompany()
  // Of all companies nothing can be sent.
  const company = chosen === ALL ? companies[0]?.id : chosen
  const captured = installation.delivery === 'capture'
  return (
    <>
      <PageHead
        title="Get started"
        about={
          captured
            ? 'Mail is captured here: every message is composed, signed and kept, and none leaves this machine.'
            : 'Mail leaves this machine: send to an address of your own first.'
        }
      />
      <Stack gap="xl" maw={820}>
        {company !== undefined && <TestMessage company={company} />}
        <GoLive company={company ?? null} />
      </Stack>
    </>
  )
}
