/** The open alerts, above everything else: each leads to the page that shows its problem. */
import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { alertsQuery } from '../../api/overview.ts'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

export function Alerts({ company }: { company: string }) {
  const { data } = useQuery(alertsQuery(company))
  if (data === undefined || data.alerts.length === 0) return null
  return (
    <Stack gap="xs" mb="md" component="section" aria-label="Problems">
      {data.alerts.map(({ id, title, found, advice, since, page }) => (
        <Alert
          key={id}
          role="presentation"
          color="red"
          variant="light"
          py="xs"
          icon={<TriangleAlert aria-hidden />}
          title={
            <Anchor component={Link} to={`/${page}`} inherit c="inherit" underline="always">
              <UntrustedText>{title}</UntrustedText>
            </Anchor>
          }
        >
          <Text size="sm">
            <UntrustedText>{found}</UntrustedText>{' '}
            {advice !== null && <UntrustedText>{advice}</UntrustedText>}{' '}
            <Text span size="xs" c="dimmed">
              Began <Time at={since} />.
            </Text>
          </Text>
        </Alert>
      ))}
    </Stack>
  )
}
