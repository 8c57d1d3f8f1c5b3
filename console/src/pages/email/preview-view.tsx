/**
 * The HTML of an email as a mail program may show it. The frame holds a document with a
 * Content-Security-Policy of its own; it runs no scripts, does not learn the address of the page, and loads
 * nothing from elsewhere unless the viewer asks for it.
 */
import { Alert, Button, Group, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { previewUrl } from '../../api/email.ts'
import { useCopyFor } from './copy-choice.tsx'
import classes from './email.module.css'
import { useEmailView } from './email-view.tsx'
import type { EmailViewProps } from './view.ts'

const NOTES = {
  light: '',
  dark: 'Shows a mail program in dark mode that leaves colors to the message: styles for (prefers-color-scheme: dark) apply.',
  inverted: 'Shows a mail program that inverts all colors. This preview inverts images, too.',
}

export function PreviewView({ company, email, content }: EmailViewProps) {
  const { shown, show } = useEmailView()
  const { width = 'desktop', shade = 'light' } = shown
  // Not part of the address: opening a link to this page must not load images, which the sender would notice.
  const [remote, setRemote] = useState(false)
  const recipient = useCopyFor(email, content.individual)
  if (content.html === null) {
    return (
      <Alert color="gray" title="This email has no HTML">
        <Button size="xs" variant="default" onClick={() => show({ tab: 'text' })}>
          Show the text
        </Button>
      </Alert>
    )
  }
  const url = previewUrl(company, email.id, recipient, remote)
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
          label="Load remote images"
          checked={remote}
          onChange={({ currentTarget: { checked } }) => setRemote(checked)}
          thumbIcon={remote ? undefined : <ImageOff size={10} aria-hidden />}
        />
      </Group>
      {remote && (
        <Text size="sm" c="dimmed">
          Your browser loads the images from the servers that the message names. They see your IP address, but
          not the address of this page.
        </Text>
      )}
      {NOTES[shade] !== '' && (
        <Text size="sm" c="dimmed">
          {NOTES[shade]}
        </Text>
      )}
      <iframe
        key={url}
        title="HTML preview"
        src={url}
        className={names.filter(Boolean).join(' ')}
        // A link opens a page that asks first, in a new window; everything else is forbidden.
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        loading="lazy"
      />
    </Stack>
  )
}
