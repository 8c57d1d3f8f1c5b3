/** A line about requests with an unknown key: they belong to no company, so the log of a company lacks them. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { requestsQuery } from '../../api/requests.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Time } from '../../parts/time.tsx'
import { ALL } from '../../shell/company.ts'

const MAX = 100
const REFUSED = 401

export function UnknownKeys() {
  const { data } = useQuery({
    ...requestsQuery(ALL, { status: REFUSED, limit: MAX }),
    refetchInterval: 60_000,
  })
  const unknown = data?.data.filter(({ company }) => company === null) ?? []
  const [latest] = unknown
  if (latest === undefined) return null
  const count = unknown.length
  // Requests of companies, which have the same status, count toward the limit.
  const isWhole = data?.next === null
  return (
    <Text size="sm" mb="md">
      {isWhole && count === 1 ? 'A request' : `${count}${isWhole ? '' : ' or more'} requests`} with an unknown
      key {isWhole && count === 1 ? 'was' : 'were'} refused, the latest <Time at={latest.at} />.{' '}
      <AnchorLink
        to="/c/$company/requests"
        params={{ company: ALL }}
        search={{ status: REFUSED }}
        inherit
        underline="always"
      >
        View
      </AnchorLink>
    </Text>
  )
}
