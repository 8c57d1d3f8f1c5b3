/** The message as it is sent: its MIME parts, its DKIM signatures and its source. */

import { Anchor, Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Download } from 'lucide-react'
import { Suspense, useState } from 'react'
import { type EmailSource, sourceUrl } from '../../api/email.ts'
import { later } from '../../parts/later.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { octetsText } from '../../parts/octets.ts'
import { Pending } from '../../parts/pending.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useCopyFor } from './copy-choice.tsx'
import type { ShownLine } from './source-text.tsx'
import { type EmailViewProps, useSource } from './view.ts'

const SourceText = later(() => import('./source-text.tsx'), 'SourceText')

export function SourceView(props: EmailViewProps) {
  const { company, email, content } = props
  const recipient = useCopyFor(email, content.individual)
  const source = useSource(props)
  const [shown, setShown] = useState<ShownLine | null>(null)
  if (!source.data) return <Pending of={source} />
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
      <Parts parts={source.data.parts} onShow={(line) => setShown({ line })} />
      <Signatures signatures={source.data.signatures} />
      <Suspense fallback={<Skeleton h={320} />}>
        <SourceText text={text} shown={shown} />
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
      <ListTable
        rows={parts}
        keyOf={(_, index) => index}
        spacing="xs"
        columns={[
          {
            head: 'Type',
            cell: ({ type, charset, filename, depth }) => (
              <div style={{ paddingInlineStart: Math.min(depth, 12) * 16 }}>
                <UntrustedText>{type}</UntrustedText>{' '}
                <Text component="span" size="sm" c="dimmed">
                  <UntrustedText>{[charset, filename].filter(Boolean).join(', ')}</UntrustedText>
                </Text>
              </div>
            ),
          },
          {
            head: 'Encoding',
            cell: ({ encoding }) => encoding && <UntrustedText>{encoding}</UntrustedText>,
          },
          { head: 'Size', right: true, cell: ({ size }) => octetsText(size) },
          {
            head: 'Line',
            right: true,
            cell: ({ start }) => (
              <Anchor component="button" type="button" size="sm" onClick={() => onShow(start)}>
                {start}
              </Anchor>
            ),
          },
        ]}
      />
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
              <Badge variant="default">
                <UntrustedText>{signature.algorithm}</UntrustedText>
              </Badge>
              {signature.key === null && <Badge color="orange">not a key of this company</Badge>}
            </Group>
            <Text size="sm">
              Selector <UntrustedText>{signature.selector}</UntrustedText>, canonicalization{' '}
              <UntrustedText>{signature.canonicalization}</UntrustedText>. Receivers look for its key at{' '}
              <UntrustedText>{`${signature.selector}._domainkey.${signature.domain}`}</UntrustedText>.
            </Text>
            <Text size="sm" c="dimmed">
              Signed headers: <UntrustedText>{[...new Set(signature.headers)].join(', ')}</UntrustedText>
            </Text>
          </Paper>
        ))}
      </Stack>
    </section>
  )
}
