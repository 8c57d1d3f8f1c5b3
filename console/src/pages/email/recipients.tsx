/** The recipients of an email: one with its history, several as a table in which each row opens. */
import { Skeleton, Stack, Title } from '@mantine/core'
import { Suspense } from 'react'
import { countOf, type EmailDetail } from '../../api/email.ts'
import { later } from '../../parts/later.ts'
import { RecipientHistory } from './recipient-history.tsx'

const RecipientTable = later(() => import('./recipient-table.tsx'), 'RecipientTable')

export function Recipients({ company, email }: { company: string; email: EmailDetail }) {
  const total = countOf(email)
  return (
    <Stack component="section" gap="xs" aria-labelledby="recipients">
      <Title order={2} size="h4" id="recipients">
        {total === 1 ? 'History' : `${total.toLocaleString()} recipients`}
      </Title>
      {total === 1 ? (
        email.recipients.map((recipient) => (
          <RecipientHistory key={recipient.position} company={company} email={email} recipient={recipient} />
        ))
      ) : (
        <Suspense fallback={<Skeleton h={240} />}>
          <RecipientTable key={email.id} company={company} email={email} total={total} />
        </Suspense>
      )}
    </Stack>
  )
}
