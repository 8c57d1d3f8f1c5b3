import { Box, Code, Group, List, TextInput } from '@mantine/core'
import { QRCodeSVG } from 'qrcode.react'
import { type TotpSetup, turnOnTotp } from '../../api/account.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'

/** Sets up an authenticator app: shows a QR code to scan, and asks for a first code. */
export function TotpDialog({
  setup,
  onClose,
  onDone,
}: {
  setup: TotpSetup | null
  onClose: () => void
  onDone: (recoveryCodes: readonly string[]) => void
}) {
  return (
    <Dialog
      opened={setup !== null}
      onClose={onClose}
      title="Turn on two-step verification"
      closeOnClickOutside={false}
    >
      {setup && <Steps setup={setup} onDone={onDone} />}
    </Dialog>
  )
}

function Steps({ setup, onDone }: { setup: TotpSetup; onDone: (recoveryCodes: readonly string[]) => void }) {
  const form = useForm({
    initial: { code: '' },
    submit: ({ code }) => turnOnTotp(setup.ticket, code),
    onDone: ({ codes }) => onDone(codes),
    errorAt: 'code',
    valid: ({ code }) => /^\s*\d{3}\s?\d{3}\s*$/.test(code),
  })
  return (
    <Form of={form} label="First code" gap="md" actions={<SubmitButton>Turn on</SubmitButton>}>
      <List type="ordered" spacing="md" size="sm">
        <List.Item>
          Scan this code with an authenticator app or a password manager.
          {/* Dark on light in both color schemes: cameras read no other QR codes. */}
          <Box bg="white" p="sm" mt="xs" w="fit-content" mx="auto" style={{ borderRadius: 8 }}>
            <QRCodeSVG value={setup.uri} size={176} title="QR code for your authenticator app" />
          </Box>
        </List.Item>
        <List.Item>
          Or enter this key in the app:
          <Group gap={4} wrap="nowrap" mt={4}>
            <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {setup.secret.match(/.{1,4}/g)!.join(' ')}
            </Code>
            <Copy value={setup.secret} what="the key" />
          </Group>
        </List.Item>
        <List.Item>Enter the six digits that the app shows.</List.Item>
      </List>
      <TextInput
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
        {...form.field('code')}
      />
    </Form>
  )
}
