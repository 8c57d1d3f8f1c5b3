import { Button, Group, Modal, Radio, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { replaySince, type WebhookDetail } from '../../api/webhooks.ts'
import { ErrorAlert } from '../../parts/error-alert.tsx'

const HOUR = 3_600_000
const SPANS = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
  { value: String(30 * 24 * HOUR), label: 'Last 30 days' },
]

export function ReplaySince({ of: { company, id } }: { of: WebhookDetail }) {
  const [opened, { open, close }] = useDisclosure()
  const [span, setSpan] = useState(SPANS[1]!.value)
  const [what, setWhat] = useState<'failed' | 'everything'>('failed')
  const replaying = useMutation({
    mutationFn: () => replaySince(company, id, new Date(Date.now() - Number(span)), what),
    onSuccess(told) {
      close()
      notifications.show({
        message: told === null ? 'Sending all events again.' : `Sending ${told} events again.`,
      })
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<History size={16} aria-hidden />} onClick={open}>
        Replay...
      </Button>
      <Modal opened={opened} onClose={close} title="Replay events">
        <Stack>
          <Select
            label="Period"
            data={SPANS}
            value={span}
            onChange={(value) => setSpan(value ?? span)}
            allowDeselect={false}
          />
          <Radio.Group
            label="Events"
            value={what}
            onChange={(value) => setWhat(value === 'everything' ? value : 'failed')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="failed" label="Failed events" />
              <Radio
                value="everything"
                label="All events"
                description="Includes events that have succeeded. Each event keeps its id, so that your application can skip it."
              />
            </Stack>
          </Radio.Group>
          {replaying.error && <ErrorAlert error={replaying.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button onClick={() => replaying.mutate()} loading={replaying.isPending}>
              Replay
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
