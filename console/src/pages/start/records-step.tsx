import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainQuery, removeDomain } from '../../api/domains.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Records } from '../domain/records.tsx'

/**
 * The records of the new domain, until they are found. `domain`: absent without a domain that waits for them. Records
 * that are only recommended may be missing when the domain is verified, so this visit leads to them.
 */
export function RecordsStep({
  company,
  domain,
  isNext,
}: {
  company: string
  domain: string | undefined
  isNext: boolean
}) {
  const [begun, setBegun] = useState<string | null>(null)
  if (isNext && domain !== undefined && begun !== domain) setBegun(domain)
  const query = useQuery({ ...domainQuery(company, begun ?? ''), enabled: begun !== null })
  if (begun === null) return null
  if (query.data === undefined) return <Pending of={query} />
  const page = (
    <AnchorLink
      to="/c/$company/domains/$domain"
      params={{ company, domain: begun }}
      inherit
      underline="always"
    >
      page of the domain
    </AnchorLink>
  )
  if (!isNext) {
    if (query.data.records.every(({ seen }) => seen === 'right')) return null
    return (
      <Text size="sm" c="dimmed">
        Some recommended records are not right yet. The {page} shows them.
      </Text>
    )
  }
  return (
    <>
      <Records company={company} domain={query.data} />
      <Group justify="space-between" mt="sm">
        <Text size="sm" c="dimmed">
          The {page} shows these records, too.
        </Text>
        {query.data.lostSince === null && (
          <ActionButton
            size="xs"
            ask={{
              title: `Remove ${query.data.name}?`,
              about:
                'You can then add another domain. Records that you have published for this one no longer count: its DKIM keys are deleted.',
              act: 'Remove domain',
            }}
            run={async () => {
              await removeDomain(company, begun)
              setBegun(null)
            }}
          >
            Use another domain...
          </ActionButton>
        )}
      </Group>
    </>
  )
}
