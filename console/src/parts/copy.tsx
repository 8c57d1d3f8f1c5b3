import { Button } from '@mantine/core'
import { Check, ClipboardCopy, Copy as CopyIcon } from 'lucide-react'
import { useCopy } from './clipboard.ts'
import { IconButton } from './icon-button.tsx'

/** A button that copies `value`. `what`: names the value in the tooltip and for screen readers. */
export function Copy({ value, what }: { value: string; what: string }) {
  const { copied, copy } = useCopy(value)
  return (
    <IconButton
      icon={copied ? Check : CopyIcon}
      color={copied ? 'road' : 'gray'}
      label={copied ? 'Copied' : `Copy ${what}`}
      name={`Copy ${what}`}
      onClick={copy}
    />
  )
}

/** A copy button with a visible label. `value`: null while it is not known yet. */
export function CopyText({ value, label }: { value: string | null; label: string }) {
  const { copied, copy } = useCopy(value ?? '')
  const Icon = copied ? Check : ClipboardCopy
  return (
    <Button
      variant="default"
      disabled={value === null}
      onClick={copy}
      leftSection={<Icon size={16} aria-hidden />}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}
