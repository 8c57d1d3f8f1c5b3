/** The progress of an export, in a notification that stays on every page. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ExportRun, FILE_NAMES, isUnderWay, stopExport, useExportRun } from './export-run.ts'

export function ExportProgress() {
  const run = useExportRun()
  if (run === null) return null
  const underWay = isUnderWay(run)
  const percent = run.found === 0 ? 0 : Math.floor(((run.done + run.missing) / run.found) * 100)
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {sentenceOf(run)}
      </Text>
      {run.state === 'reading' && <Progress value={percent} aria-label="Export" />}
      <Group justify="flex-end">
        <Button
          size="compact-sm"
          variant="default"
          onClick={underWay ? stopExport : () => notifications.hide('export')}
        >
          {underWay ? 'Stop' : 'Close'}
        </Button>
      </Group>
    </Stack>
  )
}

function counted(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'email' : 'emails'}`
}

function sentenceOf({ kind, state, found, done, missing, clipped, trouble }: ExportRun): string {
  switch (state) {
    case 'finding':
      return `Export: ${counted(found)} found so far.`
    case 'reading':
      return `Export: ${(done + missing).toLocaleString()} of ${counted(found)}. You can go to other pages meanwhile.`
    case 'stopped':
      return 'The export was stopped.'
    case 'failed':
      return `The export failed. ${trouble}`
    default:
      return [
        `${counted(done)} saved as ${FILE_NAMES[kind]}.`,
        missing > 0 && `${counted(missing)} left out: the content was removed.`,
        clipped &&
          'Older ones are left out, because the file would become too large. Narrow the search by time.',
      ]
        .filter(Boolean)
        .join(' ')
  }
}
