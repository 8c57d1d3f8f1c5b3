import { Button, Group, Paper, Text } from '@mantine/core'
import { Download, Paperclip } from 'lucide-react'
import { type EmailFile, fileUrl } from '../../api/email.ts'
import { Empty } from '../../parts/empty.tsx'
import { octetsText } from '../../parts/octets.ts'
import { PlainList } from '../../parts/plain-list.tsx'
import { UntrustedText, visible } from '../../parts/untrusted-text.tsx'
import classes from './email.module.css'
import type { EmailViewProps } from './view.ts'

/** Octets. A larger image is not shown, and can only be downloaded. */
const LARGEST_SHOWN = 8 * 1024 * 1024

/** Lists the files of an email for download, and shows images. */
export function AttachmentsView({ company, email, content: { files } }: EmailViewProps) {
  if (files.length === 0) {
    return (
      <Empty icon={Paperclip} title="No attachments">
        Files attached to an email, and images that its HTML refers to by cid:, appear here.
      </Empty>
    )
  }
  return (
    <PlainList>
      {files.map((file) => (
        <File key={file.position} company={company} id={email.id} file={file} />
      ))}
    </PlainList>
  )
}

function File({ company, id, file }: { company: string; id: string; file: EmailFile }) {
  const { position, filename, contentType: type, contentId, size } = file
  const url = fileUrl(company, id, position)
  return (
    <Paper withBorder p="sm" component="li">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 220px', overflowWrap: 'anywhere' }}>
          <Text fw={600}>
            <UntrustedText>{filename}</UntrustedText>
          </Text>
          <Text size="sm" c="dimmed">
            <UntrustedText>{type}</UntrustedText>, {octetsText(size)}
            {contentId !== null && (
              <>
                , in the HTML as cid:<UntrustedText>{contentId}</UntrustedText>
              </>
            )}
          </Text>
        </div>
        <Button
          component="a"
          href={url}
          download
          size="xs"
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          aria-label={`Download ${visible(filename)}`}
        >
          Download
        </Button>
      </Group>
      {file.picture && size <= LARGEST_SHOWN && (
        <img
          className={classes.picture}
          src={fileUrl(company, id, position, true)}
          alt={`Preview of ${visible(filename)}`}
          loading="lazy"
          decoding="async"
        />
      )}
    </Paper>
  )
}
