import { Alert, Button, Code, CopyButton, Group, Modal, SimpleGrid, Stack } from '@mantine/core'
import { Check, Copy, Download, TriangleAlert } from 'lucide-react'

/** Shows new recovery codes, once. `codes`: `null` while there are none to show. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[] | null; onClose: () => void }) {
  const text = codes?.join('\n') ?? ''
  return (
    <Modal
      opened={codes !== null}
      onClose={onClose}
      title="Your recovery codes"
      centered
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
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
            onClick={() => download(`Recovery codes of Postroad at ${window.location.host}\n\n${text}\n`)}
          >
            Download
          </Button>
        </Group>
        <Button onClick={onClose}>I have saved them</Button>
      </Stack>
    </Modal>
  )
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'postroad-recovery-codes.txt'
  link.click()
  URL.revokeObjectURL(url)
}
