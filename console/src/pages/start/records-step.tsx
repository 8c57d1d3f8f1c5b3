import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainQuery, removeDomain } from '../../api/domains.ts'
import { ActionButton } from '../../parts/action-button.tsx'
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
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed">
            The{' '}
            <AnchorLink
              to="/c/$company/domains/$domain"
              params={{ company, domain: begun }}
              inherit
              underline="always"
            >
              page of the domain
            </AnchorLink>{' '}
            shows these records, too.
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
      )}
    </>
  )
}
