/** Beside a search for mail to one address: how mail to it would leave. */
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Route as RouteIcon } from 'lucide-react'
import { visible } from '../../parts/untrusted-text.tsx'
import type { EmailsSearch } from './search.ts'

export function ExplainLink({ company, search }: { company: string; search: EmailsSearch }) {
  const address = addressSearched(search.q)
  if (address === null) return null
  return (
    <Button
      component={Link}
      variant="subtle"
      size="sm"
      px="xs"
      leftSection={<RouteIcon size={14} aria-hidden />}
      to={`/c/${company}/overview`}
      search={{ explain: address, ...(search.domain !== undefined && { from: search.domain }) } as never}
    >
      How would mail to {visible(address)} leave?
    </Button>
  )
}

/** The whole address in `to:ada@example.com`; null: the search is for part of one, or for none. */
function addressSearched(text: string | undefined): string | null {
  return /(?:^|\s)to:"?([^\s"@]+@[^\s"@]+\.[^\s"@]+)"?(?=\s|$)/i.exec(text ?? '')?.[1] ?? null
}
