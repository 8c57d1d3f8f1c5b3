/** The head of an email's page: its subject, its status with the reason, and the actions on it. */
import { Group, Stack, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { EmailDetail } from '../../api/email.ts'
import { Clamped } from '../../parts/clamped.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import { Actions } from './actions.tsx'
import classes from './email.module.css'
import { Envelope } from './envelope.tsx'
import { StatusLine } from './status-line.tsx'

export function EmailHead({ company, email }: { company: string; email: EmailDetail }) {
  const { subject } = email
  const navigate = useNavigate()
  useEffect(() => {
    document.title = `${visible(subject) || 'No subject'} - Postroad`
  }, [subject])
  return (
    <Stack gap="sm" component="header">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Title order={1} size="h2" className={classes.subject}>
          <Clamped>{visible(subject) || '(no subject)'}</Clamped>
        </Title>
        <Actions
          company={company}
          email={email}
          onDeleted={() => void navigate({ to: '/c/$company/emails', params: { company } })}
        />
      </Group>
      <Envelope email={email} />
      <StatusLine email={email} />
    </Stack>
  )
}
