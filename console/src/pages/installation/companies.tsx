import { Anchor, Button, Group, Paper, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { byCompanyQuery, createCompany } from '../../api/overview.ts'
import { queries } from '../../api/queries.ts'
import { sessionQuery, useMe } from '../../api/session.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'

/** All companies, with what each sent in the last 30 days. */
export function Companies() {
  const { companies } = useMe()
  const { data } = useQuery(byCompanyQuery('month'))
  const volumes = new Map(data?.volumes?.map(({ key, volume }) => [key, volume]))
  if (data === undefined) return <Skeleton h={200} />
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="companies">
      <Title order={2} size="h5" id="companies">
        Companies
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        With what each sent in the last 30 days
      </Text>
      <Table.ScrollContainer minWidth={420}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Accepted</Table.Th>
              <Table.Th ta="right">Delivered</Table.Th>
              <Table.Th ta="right">Bounced</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {companies.map(({ id, name }) => {
              const { accepted = 0, delivered = 0, bounced = 0 } = volumes.get(id) ?? {}
              return (
                <Table.Tr key={id}>
                  <Table.Td>
                    <Anchor component={Link} to={`/c/${id}/overview`} size="sm">
                      {name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td ta="right">{accepted.toLocaleString()}</Table.Td>
                  <Table.Td ta="right">{delivered.toLocaleString()}</Table.Td>
                  <Table.Td ta="right">{bounced.toLocaleString()}</Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <NewCompany />
    </Paper>
  )
}

function NewCompany() {
  const form = useForm({ initialValues: { name: '' } })
  const adding = useMutation({
    mutationFn: ({ name }: { name: string }) => createCompany(name),
    onSuccess: () => {
      form.reset()
      return queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => adding.mutate(values))}>
      <Stack gap="xs" mt="md">
        {adding.error && <ErrorAlert error={adding.error} />}
        <Group align="flex-end" gap="sm">
          <TextInput
            label="New company"
            placeholder="My company"
            required
            withAsterisk={false}
            {...form.getInputProps('name')}
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
      </Stack>
    </form>
  )
}
