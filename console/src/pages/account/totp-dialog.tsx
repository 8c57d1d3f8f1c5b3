import { Box, Button, Code, Group, List, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { type TotpSetup, turnOnTotp } from '../../api/account.ts'
import { Copy } from '../../parts/copy.tsx'
import { Form } from '../../parts/form.tsx'
import { FormError } from '../../parts/form-error.tsx'

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
    <Modal
      opened={setup !== null}
      onClose={onClose}
      title="Turn on two-step verification"
      centered
      closeOnClickOutside={false}
    >
      {setup && <Steps setup={setup} onDone={onDone} />}
    </Modal>
  )
}

function Steps({ setup, onDone }: { setup: TotpSetup; onDone: (recoveryCodes: readonly string[]) => void }) {
  const [code, setCode] = useState('')
  const turnOn = useMutation({ mutationFn: () => turnOnTotp(setup.ticket, code), onSuccess: onDone })
  return (
    <Form label="First code" mutation={turnOn} gap="md">
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
      <FormError error={turnOn.error} />
      <TextInput
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
      />
      <Button type="submit" loading={turnOn.isPending} disabled={!/^\s*\d{3}\s?\d{3}\s*$/.test(code)}>
        Turn on
      </Button>
    </Form>
  )
}
