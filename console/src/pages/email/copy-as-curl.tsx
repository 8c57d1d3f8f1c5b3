import { Anchor, List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { contentQuery, type EmailDetail, type EmailFile, fileUrl, sourceUrl } from '../../api/email.ts'
import { useMe } from '../../api/session.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Pending } from '../../parts/pending.tsx'
import { visible } from '../../parts/untrusted-text.tsx'
import {
  type AttachmentContents,
  type CurlDialect,
  curlOf,
  dialectsOf,
  localName,
  sourceName,
} from './curl.ts'
import type { EmailViewProps } from './view.ts'

/** The most octets of attachments that are put into the command: a larger one would be unwieldy to paste. */
const MAX_INSIDE = 48 * 1024

const LABELS: Readonly<Record<CurlDialect, string>> = { json: 'JSON', form: 'Form' }

export function CopyAsCurl({ company, email }: { company: string; email: EmailDetail }) {
  const content = useQuery(contentQuery(company, email.id))
  if (!content.data) return <Pending of={content} />
  if (content.data.removed) {
    return (
      <Text size="sm">
        The content was removed at the end of its retention period, so there is nothing to send.
      </Text>
    )
  }
  return <Request company={company} email={email} content={content.data} />
}

function Request({ company, email, content }: EmailViewProps) {
  const dialects = dialectsOf(email, content)
  const [chosen, setDialect] = useState<CurlDialect>('json')
  const dialect = dialects.includes(chosen) ? chosen : dialects[0]
  const { installation } = useMe()
  const { files } = content
  const inside = !content.ready && files.reduce((sum, { size }) => sum + size, 0) <= MAX_INSIDE
  const contents = useQuery({
    queryKey: ['email-files', company, email.id],
    queryFn: () => contentsOf(company, email.id, files),
    enabled: inside && files.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (dialect === undefined) {
    return <Text size="sm">The sending domain was removed, so Postroad would refuse the request.</Text>
  }
  if (contents.isLoading || contents.error) return <Pending of={contents} height={160} />
  const wanted = content.ready
    ? [{ name: sourceName(email), url: sourceUrl(company, email.id) }]
    : files
        .filter(({ position }) => contents.data?.has(position) !== true)
        .map(({ filename, position }) => ({
          name: localName(filename),
          url: fileUrl(company, email.id, position),
        }))
  const code = curlOf(dialect, installation.url, email, content, contents.data ?? new Map())
  return (
    <Stack gap="sm">
      {dialects.length > 1 && (
        <SegmentedControl
          aria-label="API"
          value={dialect}
          onChange={setDialect}
          data={dialects.map((value) => ({ value, label: LABELS[value] }))}
        />
      )}
      <Text size="sm" c="dimmed">
        For bash. The command sends the same message again. Set $POSTROAD_KEY to an API key first.
        {content.clipped.length > 0 && ' The content is long, and only its beginning is included.'}
      </Text>
      {wanted.length > 0 && (
        <Text size="sm" component="div">
          Run it in a directory with these files, under these names:
          <List size="sm">
            {wanted.map(({ name, url }) => (
              <List.Item key={url}>
                <Anchor href={url} download={name} inherit>
                  {visible(name)}
                </Anchor>
              </List.Item>
            ))}
          </List>
        </Text>
      )}
      <CodeBlock code={code} what="the request" wrap />
    </Stack>
  )
}

async function contentsOf(
  company: string,
  id: string,
  files: readonly EmailFile[],
): Promise<AttachmentContents> {
  const read = files.map(async ({ position }): Promise<[number, string]> => {
    const response = await fetch(fileUrl(company, id, position))
    if (!response.ok) throw new Error(`An attachment could not be loaded (status ${response.status}).`)
    return [position, await base64Of(await response.blob())]
  })
  return new Map(await Promise.all(read))
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
