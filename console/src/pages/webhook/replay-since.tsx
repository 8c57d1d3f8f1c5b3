import { Button, Radio, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { History } from 'lucide-react'
import { replaySince, type WebhookDetail } from '../../api/webhooks.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { notify } from '../../parts/notify.ts'

const HOUR = 3_600_000
const SPANS = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
  { value: String(30 * 24 * HOUR), label: 'Last 30 days' },
]

export function ReplaySince({ of: { company, id } }: { of: WebhookDetail }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<History size={16} aria-hidden />} onClick={open}>
        Replay...
      </Button>
      <FormDialog
        title="Replay events"
        opened={opened}
        close={close}
        initial={{ span: SPANS[1]!.value, what: 'failed' as 'failed' | 'everything' }}
        submit={({ span, what }) => replaySince(company, id, new Date(Date.now() - Number(span)), what)}
        onDone={(count) => {
          close()
          void notify({
            message: count === null ? 'Sending all events again.' : `Sending ${count} events again.`,
          })
        }}
        submitLabel="Replay"
      >
        {({ field }) => (
          <>
            <Select label="Period" data={SPANS} allowDeselect={false} {...field('span')} />
            <Radio.Group label="Events" {...field('what')}>
              <Stack gap={6} mt={6}>
                <Radio value="failed" label="Failed events" />
                <Radio
                  value="everything"
                  label="All events"
                  description="Includes events that have succeeded. Each event keeps its id, so that your application can skip it."
                />
              </Stack>
            </Radio.Group>
          </>
        )}
      </FormDialog>
    </>
  )
}
