import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { contentQuery, type EmailDetail } from '../../api/email.ts'
import { useMe } from '../../api/session.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { curlOf, type Dialect } from './curl.ts'

export function CopyAsCurl({ company, email }: { company: string; email: EmailDetail }) {
  const [dialect, setDialect] = useState<Dialect>('json')
  const content = useQuery(contentQuery(company, email.id))
  const { installation } = useMe()
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="API"
        value={dialect}
        onChange={setDialect}
        data={[
          { value: 'json', label: 'JSON' },
          { value: 'form', label: 'Form' },
        ]}
      />
      <Text size="sm" c="dimmed">
        It sends the same message once more. Put an API key into $POSTROAD_KEY first.
        {(content.data?.files.length ?? 0) > 0 && ' Its files are named: load them down, and put them there.'}
      </Text>
      {content.error && <ErrorAlert error={content.error} />}
      {content.isPending && <Skeleton h={160} />}
      {content.data && (
        <CodeBlock code={curlOf(dialect, installation.url, email, content.data)} what="the request" wrap />
      )}
    </Stack>
  )
}
