import { Button } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import type { RecordChecks } from './use-record-checks.ts'

/** Asks DNS for the records of the domain at once. */
export function CheckAgain({ checks }: { checks: RecordChecks }) {
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      loading={checks.pending}
      onClick={checks.again}
    >
      Check now
    </Button>
  )
}
