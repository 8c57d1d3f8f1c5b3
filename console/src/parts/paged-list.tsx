import { Group, Pagination, Text, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'

const PAGE = 50

/** A list of people with pages and a search by name or address. */
export function PagedPeople<Item extends { name: string; address: string | null }>({
  items,
  children,
}: {
  items: readonly Item[]
  children: (shown: readonly Item[]) => ReactNode
}) {
  const [wanted, setWanted] = useState('')
  const [page, setPage] = useState(1)
  const words = wanted.trim().toLowerCase()
  const found = items.filter(({ name, address }) => `${name} ${address ?? ''}`.toLowerCase().includes(words))
  const pages = Math.max(1, Math.ceil(found.length / PAGE))
  const at = Math.min(page, pages)
  return (
    <>
      {items.length > 10 && (
        <TextInput
          aria-label="Find people"
          placeholder="Name or address"
          leftSection={<Search size={16} aria-hidden />}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          maw={360}
          mb="sm"
        />
      )}
      {found.length === 0 && <Text c="dimmed">No people match.</Text>}
      {children(found.slice((at - 1) * PAGE, at * PAGE))}
      {pages > 1 && (
        <Group justify="center" mt="md">
          <Pagination
            value={at}
            total={pages}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          />
        </Group>
      )}
    </>
  )
}
