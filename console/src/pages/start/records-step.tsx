import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainQuery } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Pending } from '../../parts/pending.tsx'
import { Records } from '../domain/records.tsx'
import { goToNextStep } from './step-list.tsx'

/**
 * The records of the new domain. `domain`: absent without a domain that waits for them. Records that are only
 * recommended may be missing when the domain is verified, so they stay in sight on this visit.
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
  if (!isNext && query.data.records.every(({ seen }) => seen === 'right')) return null
  return (
    <>
      <Records
        company={company}
        domain={query.data}
        next={<Button onClick={() => goToNextStep()}>Send a test message</Button>}
      />
      {isNext && (
        <Text size="sm" c="dimmed" mt="sm">
          You can leave this page and come back: the{' '}
          <AnchorLink
            to="/c/$company/domains/$domain"
            params={{ company, domain: begun }}
            inherit
            underline="always"
          >
            page of the domain
          </AnchorLink>{' '}
          shows the records, too.
        </Text>
      )}
    </>
  )
}
