import { Box, Button, Group, Paper, Skeleton, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { byCompanyQuery, createCompany } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

const COUNTED = [
  { head: 'Accepted', type: 'accepted' },
  { head: 'Delivered', type: 'delivered' },
  { head: 'Bounced', type: 'bounced' },
]

const MOST_SHOWN = 50

/** All companies, with the counts of the last 30 days. */
export function Companies() {
  const { companies } = useMe()
  const { data } = useQuery(byCompanyQuery('month'))
  const volumes = new Map(data?.volumes?.map(({ key, volume }) => [key, volume]))
  const [sought, setSought] = useState('')
  if (data === undefined) return <Skeleton h={200} />
  const accepted = ({ id }: { id: string }) => volumes.get(id)?.accepted ?? 0
  const found = companies.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  const most = found.toSorted((a, b) => accepted(b) - accepted(a)).slice(0, MOST_SHOWN)
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="companies">
      <Title order={2} size="h5" id="companies">
        Companies
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        Mail of the last 30 days, busiest companies first
      </Text>
      {companies.length > MOST_SHOWN && (
        <TextInput
          aria-label="Find a company"
          placeholder="Find a company by name"
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          maw={320}
          mb="xs"
        />
      )}
      <ListTable
        rows={most}
        keyOf={({ id }) => id}
        spacing="xs"
        columns={[
          {
            head: 'Name',
            cell: ({ id, name }) => (
              <AnchorLink to="/c/$company/overview" params={{ company: id }}>
                <UntrustedText>{name}</UntrustedText>
              </AnchorLink>
            ),
          },
          ...COUNTED.map(({ head, type }) => ({
            head,
            right: true,
            cell: ({ id }: { id: string }) => (volumes.get(id)?.[type] ?? 0).toLocaleString(),
          })),
        ]}
      />
      {found.length > most.length && (
        <Text size="xs" c="dimmed" mt="xs">
          Showing {most.length} of {found.length.toLocaleString()} companies.
        </Text>
      )}
      <NewCompany />
    </Paper>
  )
}

function NewCompany() {
  const [name, setName] = useState('')
  const adding = useMutation({ mutationFn: () => createCompany(name), onSuccess: () => setName('') })
  return (
    <Box mt="md">
      <Form mutation={adding} gap="xs">
        {adding.error && <ErrorAlert error={adding.error} />}
        <Group align="flex-end" gap="sm">
          <TextInput
            label="New company"
            placeholder="My company"
            required
            withAsterisk={false}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={adding.isPending}
            leftSection={<Plus size={16} aria-hidden />}
          >
            Add
          </Button>
        </Group>
      </Form>
    </Box>
  )
}
