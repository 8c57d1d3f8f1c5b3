import { Group, Pagination } from '@mantine/core'

/** The pages of a list whose length is known. Shown if there is more than one. */
export function NumberedPages({
  what,
  total,
  size,
  page,
  onPage,
}: {
  /** The plural of a row, in lower case. */
  what: string
  /** The number of rows. */
  total: number
  /** The most rows on a page. */
  size: number
  /** Counted from 1. */
  page: number
  onPage: (page: number) => void
}) {
  if (total <= size) return null
  return (
    <Group justify="center" mt="md">
      <Pagination
        total={Math.ceil(total / size)}
        value={page}
        onChange={onPage}
        getControlProps={(control) => ({ 'aria-label': `${control} page of ${what}` })}
      />
    </Group>
  )
}
