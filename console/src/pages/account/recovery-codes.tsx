import { Alert, Button, Code, Group, SimpleGrid, Stack } from '@mantine/core'
import { Download, TriangleAlert } from 'lucide-react'
import { CopyText } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { download } from '../../parts/download.ts'

/** Shows new recovery codes, once. `codes`: `null` while there are none to show. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[] | null; onClose: () => void }) {
  const text = codes?.join('\n') ?? ''
  const save = () =>
    download(
      'postroad-recovery-codes.txt',
      `Recovery codes of Postroad at ${window.location.host}\n\n${text}\n`,
      'text/plain',
    )
  return (
    <Dialog
      opened={codes !== null}
      onClose={onClose}
      title="Your recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Alert color="yellow" variant="light" icon={<TriangleAlert aria-hidden />}>
          These codes are shown only once. Keep them where you can find them without your phone. Each code
          works once in place of the app.
        </Alert>
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing="xs"
          component="ul"
          p={0}
          m={0}
          style={{ listStyle: 'none' }}
        >
          {codes?.map((code) => (
            <li key={code}>
              <Code fz="sm" display="block" ta="center" py={6}>
                {code}
              </Code>
            </li>
          ))}
        </SimpleGrid>
        <Group grow>
          <CopyText value={text} label="Copy" />
          <Button variant="default" leftSection={<Download size={16} aria-hidden />} onClick={save}>
            Download
          </Button>
        </Group>
        <Button onClick={onClose}>I have saved them</Button>
      </Stack>
    </Dialog>
  )
}
