import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Check, Copy as CopyIcon } from 'lucide-react'

/** Copies `value`. `what`: it is called so to those who do not see it. */
export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
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
      )}
    </CopyButton>
  )
}
