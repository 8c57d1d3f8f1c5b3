import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Check, ClipboardCopy, Copy as CopyIcon } from 'lucide-react'
import { useCopy } from './clipboard.ts'

/** A button that copies `value`. `what`: names the value in the tooltip and for screen readers. */
export function Copy({ value, what }: { value: string; what: string }) {
  const { copied, copy } = useCopy(value)
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'road' : 'gray'}
        onClick={copy}
        aria-label={`Copy ${what}`}
      >
        {copied ? <Check size={16} aria-hidden /> : <CopyIcon size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}

/** A copy button with a visible label. */
export function CopyText({ value, label }: { value: string; label: string }) {
  const { copied, copy } = useCopy(value)
  const Icon = copied ? Check : ClipboardCopy
  return (
    <Button variant="default" onClick={copy} leftSection={<Icon size={16} aria-hidden />}>
      {copied ? 'Copied' : label}
    </Button>
  )
}
