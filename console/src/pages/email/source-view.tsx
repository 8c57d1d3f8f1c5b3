/** The message as it is sent: its MIME parts, its DKIM signatures and its source. */
import { Badge, Button, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import {
  type EmailContent,
  type EmailDetail,
  type EmailSource,
  sourceQuery,
  sourceUrl,
} from '../../api/email.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { octetsText } from '../../parts/octets.ts'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'

const SourceText = lazy(async () => ({ default: (await import('./source-text.tsx')).SourceText }))

export function SourceView({
  company,
  email,
  content,
}: {
  company: string
  email: EmailDetail
  content: EmailContent
}) {
  const recipient = useCopyFor(email, content.individual)
  const source = useQuery(sourceQuery(company, email.id, recipient))
  const [line, setLine] = useState<number | null>(null)
  if (source.error) return <ErrorAlert error={source.error} reset={() => void source.refetch()} />
  if (source.isPending) return <Skeleton h={240} />
  const { size, text, clipped, trouble } = source.data
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {octetsText(size)}
          {clipped && ' (only the beginning is shown)'}
        </Text>
        <Button
          component="a"
          href={sourceUrl(company, email.id, recipient)}
          download
          size="xs"
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
        >
          Download as .eml
        </Button>
      </Group>
      {trouble !== null && (
        <Text size="sm">
          The MIME structure could not be parsed: <UntrustedText>{trouble}</UntrustedText>
        </Text>
      )}
      <Parts parts={source.data.parts} onShow={setLine} />
      <Signatures signatures={source.data.signatures} />
      <Suspense fallback={<Skeleton h={320} />}>
        <SourceText text={text} line={line} />
      </Suspense>
    </Stack>
  )
}

function Parts({ parts, onShow }: { parts: EmailSource['parts']; onShow: (line: number) => void }) {
  if (parts.length === 0) return null
  return (
    <section aria-labelledby="parts">
      <Title order={3} size="h5" id="parts">
        Parts
      </Title>
      <div className={classes.table}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Type</Table.Th>
              <Table.Th visibleFrom="sm">Encoding</Table.Th>
              <Table.Th visibleFrom="sm">Name</Table.Th>
              <Table.Th>Size</Table.Th>
              <Table.Th>Line</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {parts.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have their order, and nothing else
              <Table.Tr key={index}>
                <Table.Td style={{ paddingInlineStart: 10 + Math.min(part.depth, 12) * 16 }}>
                  <UntrustedText>{part.type}</UntrustedText>
                  {part.charset !== '' && (
                    <Text component="span" size="sm" c="dimmed">
                      {' '}
                      <UntrustedText>{part.charset}</UntrustedText>
                    </Text>
                  )}
                  {/* On a narrow screen this line replaces the columns. */}
                  <Text size="xs" c="dimmed" hiddenFrom="sm" className={classes.said}>
                    <UntrustedText>{[part.encoding, part.filename].filter(Boolean).join(', ')}</UntrustedText>
                  </Text>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <UntrustedText>{part.encoding}</UntrustedText>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <UntrustedText>{part.filename}</UntrustedText>
                </Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{octetsText(part.size)}</Table.Td>
                <Table.Td>
                  <Button variant="subtle" size="compact-xs" onClick={() => onShow(part.start)}>
                    {part.start}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </section>
  )
}

function Signatures({ signatures }: { signatures: EmailSource['signatures'] }) {
  return (
    <section aria-labelledby="signatures">
      <Title order={3} size="h5" id="signatures">
        DKIM signatures
      </Title>
      {signatures.length === 0 && (
        <Text size="sm">None. Recipients’ servers cannot verify that the message comes from its domain.</Text>
      )}
      <Stack gap="xs" mt={4}>
        {signatures.map((signature, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: signatures have their order, and nothing else
          <Paper key={index} withBorder p="sm">
            <Group gap="xs">
              <Text fw={600}>
                <UntrustedText>{signature.domain}</UntrustedText>
              </Text>
              <Badge variant="default" tt="none">
                <UntrustedText>{signature.algorithm}</UntrustedText>
              </Badge>
              {!signature.own && <Badge color="orange">not a key of this company</Badge>}
            </Group>
            <Text size="sm">
              Selector <UntrustedText>{signature.selector}</UntrustedText>, canonicalization{' '}
              <UntrustedText>{signature.canonicalization}</UntrustedText>. The public key is in DNS at{' '}
              <UntrustedText>{`${signature.selector}._domainkey.${signature.domain}`}</UntrustedText>.
            </Text>
            <Text size="sm" c="dimmed">
              Signed headers: <UntrustedText>{signature.headers.join(', ')}</UntrustedText>
            </Text>
          </Paper>
        ))}
      </Stack>
    </section>
  )
}
