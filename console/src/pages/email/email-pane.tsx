/** An email beside the list: in capture mode its content first, and otherwise what became of it. */
import { Group, Stack, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type EmailDetail, emailQuery } from '../../api/email.ts'
import { useIsCapture } from '../../api/session.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Clamped } from '../../parts/clamped.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { Pending } from '../../parts/pending.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { Actions } from './actions.tsx'
import classes from './email.module.css'
import { EmailTabs } from './email-tabs.tsx'
import { EmailViewBesideList } from './email-view.tsx'
import { Envelope } from './envelope.tsx'
import { Recipients } from './recipients.tsx'
import { StatusLine } from './status-line.tsx'

/** Milliseconds for which an email is selected before it is loaded: a held arrow key passes many. */
const SETTLED_MS = 120

interface EmailPaneProps {
  /** The company of the page, or `all`. */
  company: string
  id: string
  onClose: () => void
}

export function EmailPane({ company, id, onClose }: EmailPaneProps) {
  const [settled] = useDebouncedValue(id, SETTLED_MS)
  const email = useQuery(emailQuery(company, settled))
  return (
    <section className={classes.pane} aria-label="Selected email" aria-busy={email.isPending}>
      <Group justify="space-between" gap="xs" mb="xs">
        <AnchorLink to="/c/$company/emails/$id" params={{ company, id }} size="sm">
          Open page
        </AnchorLink>
        <IconButton icon={X} label="Close (Esc)" name="Close the email" onClick={onClose} />
      </Group>
      {email.data === undefined ? (
        <Pending of={email} height={320} />
      ) : (
        <EmailViewBesideList id={settled}>
          <Selected company={company} email={email.data} onClose={onClose} />
        </EmailViewBesideList>
      )}
    </section>
  )
}

function Selected({
  company,
  email,
  onClose,
}: Pick<EmailPaneProps, 'company' | 'onClose'> & { email: EmailDetail }) {
  const isCapture = useIsCapture()
  const history = <Recipients company={company} email={email} />
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        <Clamped>{visible(email.subject) || '(no subject)'}</Clamped>
      </Title>
      <Envelope email={email} />
      <Actions company={company} email={email} onLeave={onClose} isBeside />
      {!isCapture && <StatusLine email={email} />}
      {!isCapture && history}
      <EmailTabs company={company} email={email} />
      {isCapture && history}
    </Stack>
  )
}
