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
