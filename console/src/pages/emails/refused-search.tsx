/** The search in the address is one that the service refuses: to try it again would change nothing. */
import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { AsText } from './as-text.tsx'
import type { EmailsSearch } from './search.ts'

interface RefusedSearchProps {
  company: string
  search: EmailsSearch
  message: string
}

export function RefusedSearch({ company, search, message }: RefusedSearchProps) {
  const navigate = useNavigate()
  return (
    <Group role="alert" gap="xs" my="xs">
      <Text size="sm">{message}</Text>
      <AsText
        text={search.q ?? ''}
        onChoose={(q) =>
          void navigate({ to: '/c/$company/emails', params: { company }, search: { ...search, q } })
        }
      />
    </Group>
  )
}
