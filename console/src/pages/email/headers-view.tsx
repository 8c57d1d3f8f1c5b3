import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ListTable } from '../../parts/list-table.tsx'
import { Pending } from '../../parts/pending.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { type EmailViewProps, useSource } from './view.ts'

/** The header fields of the message as its recipient gets it. */
export function HeadersView(props: EmailViewProps) {
  const [wanted, setWanted] = useState('')
  const source = useSource(props)
  if (!source.data) return <Pending of={source} />
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
      <ListTable
        rows={fields}
        keyOf={(_, index) => index}
        spacing="xs"
        columns={[
          {
            head: 'Name',
            rowHead: true,
            width: '30%',
            cell: ([name = '']) => <UntrustedText>{name}</UntrustedText>,
          },
          { head: 'Value', cell: ([, value = '']) => <UntrustedText>{value}</UntrustedText> },
        ]}
      />
    </Stack>
  )
}
