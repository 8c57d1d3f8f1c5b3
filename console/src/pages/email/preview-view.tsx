/**
 * The HTML as a mail program may show it. It is a document of its own, with a policy of its own, in a frame that may
 * neither run anything nor know where it is; nothing is fetched for it from elsewhere unless somebody asks.
 */
import { Alert, Button, Group, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { documentUrl, type EmailContent, type EmailDetail } from '../../api/email.ts'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'
import { useShow, useShown } from './search.ts'

const NOTES = {
  light: '',
  dark: 'As a mail program in dark mode that leaves colors to the message: what it says for (prefers-color-scheme: dark) counts.',
  inverted: 'As a mail program that turns all colors around by force. Pictures are turned around too, here.',
}

export function PreviewView({
  company,
  email,
  content,
}: {
  company: string
  email: EmailDetail
  content: EmailContent
}) {
  const { width = 'desktop', shade = 'light' } = useShown()
  const show = useShow()
  // Not in the address: a link to this page must not fetch what its sender would notice.
  const [remote, setRemote] = useState(false)
  const recipient = useCopyFor(email, content.individual)
  if (content.html === null) {
    return (
      <Alert color="gray" title="There is no HTML in this email">
        <Button size="xs" variant="default" onClick={() => show({ tab: 'text' })}>
          Show its text
        </Button>
      </Alert>
    )
  }
  const url = documentUrl(company, email.id, '/preview', { recipient, remote: remote ? 1 : undefined })
  const names = [
    classes.frame,
    width === 'phone' && classes.phone,
    shade === 'dark' && classes.dark,
    shade === 'inverted' && classes.inverted,
  ]
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Width"
          value={width}
          onChange={(value) => show({ width: value })}
          data={[
            { value: 'desktop', label: 'Desktop' },
            { value: 'phone', label: 'Phone' },
          ]}
        />
        <SegmentedControl
          aria-label="Colors"
          value={shade}
          onChange={(value) => show({ shade: value })}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
            { value: 'inverted', label: 'Inverted' },
          ]}
        />
        <Switch
          label="Load pictures from elsewhere"
          checked={remote}
          onChange={({ currentTarget: { checked } }) => setRemote(checked)}
          thumbIcon={remote ? undefined : <ImageOff size={10} aria-hidden />}
        />
      </Group>
      {remote && (
        <Text size="sm" c="dimmed">
          Your browser asks the servers that the message names for its pictures. They learn your address, and
          not this page’s.
        </Text>
      )}
      {NOTES[shade] !== '' && (
        <Text size="sm" c="dimmed">
          {NOTES[shade]}
        </Text>
      )}
      <iframe
        key={url}
        title="The email as HTML"
        src={url}
        className={names.filter(Boolean).join(' ')}
        // Links open a page that asks first, in a window of its own; nothing else may happen.
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        loading="lazy"
      />
    </Stack>
  )
}
