import { Group } from '@mantine/core'
import { AnchorLink } from './anchor-link.tsx'

/** A label, and the search parameters of the page that it leads to. */
type PageLink = readonly [label: string, search: object]

/** Links to the other pages of a list, whose address has the position. A link that is `false` is left out. */
export function PageLinks({ links }: { links: readonly (PageLink | false)[] }) {
  const offered = links.filter((link) => link !== false)
  if (offered.length === 0) return null
  return (
    <Group component="nav" aria-label="Pages of the list" mt="md">
      {offered.map(([label, search]) => (
        <AnchorLink key={label} to="." search={search as never}>
          {label}
        </AnchorLink>
      ))}
    </Group>
  )
}

/** Links to the newer and the older entries of a list with cursors. `wanted`: the other search parameters. */
export function CursorLinks({
  page,
  wanted,
}: {
  page: { previous: string | null; next: string | null } | undefined
  wanted: object
}) {
  const { previous = null, next = null } = page ?? {}
  return (
    <PageLinks
      links={[
        previous !== null && ['Newer', { ...wanted, before: previous }],
        next !== null && ['Older', { ...wanted, after: next }],
      ]}
    />
  )
}
