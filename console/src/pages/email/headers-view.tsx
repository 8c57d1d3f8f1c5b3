import { Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type EmailContent, type EmailDetail, sourceQuery } from '../../api/email.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'

/** The header fields of the message as its recipient gets it. */
export function HeadersView({
  company,
  email,
  content,
}: {
  company: string
  email: EmailDetail
  content: EmailContent
}) {
  const [wanted, setWanted] = useState('')
  const source = useQuery(sourceQuery(company, email.id, useCopyFor(email, content.individual)))
  if (source.error) return <ErrorAlert error={source.error} reset={() => void source.refetch()} />
  if (source.isPending) return <Skeleton h={240} />
  const look = wanted.trim().toLowerCase()
  const fields = source.data.fields.filter((field) => field.join(': ').toLowerCase().includes(look))
  return (
    <Stack gap="sm">
      <TextInput
        label="Find a header"
        value={wanted}
        onChange={({ currentTarget: { value } }) => setWanted(value)}
        maw={320}
      />
      {source.data.trouble !== null && (
        <Text size="sm" c="dimmed">
          The headers could not be parsed: <UntrustedText>{source.data.trouble}</UntrustedText>
        </Text>
      )}
      <Table className={classes.headers} verticalSpacing={4} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Name</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(([name = '', value = ''], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a name may come more than once
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={600}>
                <UntrustedText>{name}</UntrustedText>
              </Table.Th>
              <Table.Td>
                <UntrustedText>{value}</UntrustedText>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
