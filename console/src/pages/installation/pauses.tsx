import { Button, Group, Paper, Select, Skeleton, Table, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Pause as PauseIcon, Play } from 'lucide-react'
import { useState } from 'react'
import { endPause, type InstallationJson, pause } from '../../api/overview.ts'
import { useMe } from '../../api/session.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { Form } from '../../parts/form.tsx'
import { Time } from '../../parts/time.tsx'
import { visible } from '../../parts/untrusted-text.tsx'

type PauseItem = InstallationJson['pauses'][number]

/** Mail that an operator has paused. */
export function Pauses({ pauses }: { pauses: PauseItem[] | undefined }) {
  const ending = useMutation({ mutationFn: endPause })
  if (pauses === undefined) return <Skeleton h={160} />
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="pauses">
      <Title order={2} size="h5" id="pauses">
        Pauses
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        Paused mail waits without using up attempts. A change reaches every node within a second.
      </Text>
      {ending.error && <ErrorAlert error={ending.error} />}
      {pauses.length > 0 && (
        <Table mb="md">
          <Table.Tbody>
            {pauses.map((each) => (
              <Table.Tr key={`${each.company?.id} ${each.domain}`}>
                <Table.Td>{scopeText(each)}</Table.Td>
                <Table.Td>
                  paused <Time at={each.since} />
                </Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<Play size={14} aria-hidden />}
                    loading={ending.isPending}
                    onClick={() => ending.mutate({ company: each.company?.id ?? null, domain: each.domain })}
                  >
                    Resume
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NewPause />
    </Paper>
  )
}

function scopeText({ company, domain }: PauseItem): string {
  const whose = company === null ? 'All mail' : `Mail of ${visible(company.name)}`
  return domain === null ? whose : `${whose} to ${domain}`
}

function NewPause() {
  const { companies } = useMe()
  const [company, setCompany] = useState('')
  const [domain, setDomain] = useState('')
  const beginning = useMutation({
    mutationFn: () => pause({ company: company || null, domain: domain.trim() || null }),
    onSuccess: () => {
      setCompany('')
      setDomain('')
    },
  })
  return (
    <Form mutation={beginning} gap="xs">
      {beginning.error && <ErrorAlert error={beginning.error} />}
      <Group align="flex-end" gap="sm">
        <Select
          label="Company"
          data={[
            { value: '', label: 'All companies' },
            ...companies.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          allowDeselect={false}
          value={company}
          onChange={(chosen) => setCompany(chosen ?? '')}
        />
        <TextInput
          label="Recipient domain"
          placeholder="All domains"
          value={domain}
          onChange={({ currentTarget }) => setDomain(currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          loading={beginning.isPending}
          leftSection={<PauseIcon size={16} aria-hidden />}
        >
          Pause
        </Button>
      </Group>
    </Form>
  )
}
