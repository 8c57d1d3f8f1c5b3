import { Button, FileInput, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { FileUp } from 'lucide-react'
import type { ImportPiece } from '../../api/suppressions.ts'
import { csvOf } from '../../parts/csv.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { download } from '../../parts/download.ts'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import type { DialogProps } from '../../parts/form-dialog.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { forgetImport, type ImportRun, startImport, stopImport, useImportRun } from './import-run.ts'
import { type ListName, TYPE_CHOICES } from './types.ts'

const SHOWN = 10

export function ImportDialog({ company, list, opened, close }: DialogProps & { list: ListName }) {
  const run = useImportRun()
  return (
    <Dialog
      opened={opened}
      onClose={close}
      size="lg"
      title={list === 'allowed' ? 'Import an allow list' : 'Import suppressions'}
    >
      {run === null ? <Choice company={company} list={list} /> : <Running run={run} close={close} />}
    </Dialog>
  )
}

function Choice({ company, list }: { company: string; list: ListName }) {
  const form = useForm({
    initial: { file: null as File | null, type: 'manual' as ImportPiece['list'] },
    // The import goes on in the background.
    submit: async ({ file, type }) => void startImport(company, file!, list === 'allowed' ? 'allowed' : type),
    valid: ({ file }) => file !== null,
  })
  return (
    <Form
      of={form}
      gap="md"
      actions={
        <Group justify="flex-end">
          <SubmitButton>Import</SubmitButton>
        </Group>
      }
    >
      <Text size="sm">
        A CSV file with one address per line, or with a first line that names the columns: address, type,
        reason, tags, created_at, sending_domain.
      </Text>
      <Text size="sm">
        Exports of other services work unchanged. A reason such as hard-bounce or spam decides the type of its
        line.
      </Text>
      <FileInput
        label="File"
        placeholder="Choose a CSV file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        leftSection={<FileUp size={16} aria-hidden />}
        required
        {...form.field('file')}
      />
      {list === 'suppressions' && (
        <Select
          label="Type for lines without a type"
          data={TYPE_CHOICES}
          allowDeselect={false}
          {...form.field('type')}
        />
      )}
    </Form>
  )
}

const SAID: Readonly<Record<ImportRun['state'], string>> = {
  running: 'Importing',
  done: 'Imported',
  stopped: 'Stopped',
  failed: 'Import incomplete',
}

function Running({ run, close }: { run: ImportRun; close: () => void }) {
  const { file, state, octets, size, added, present, bad, badLines, trouble } = run
  const percent = size === 0 ? 100 : Math.floor((octets / size) * 100)
  const report = () =>
    download(
      'lines-not-imported.csv',
      csvOf([
        ['line', 'why', 'content'],
        ...badLines.map(({ line, why, text }) => [String(line), why, text]),
      ]),
    )
  return (
    <Stack>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {SAID[state]}: {file}
      </Text>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          color={state === 'failed' ? 'red' : 'road'}
          aria-label="Import progress"
        />
      </Progress.Root>
      <Text size="sm" role="status">
        {percent}%: {added.toLocaleString()} added, {present.toLocaleString()} already on the list,{' '}
        {bad.toLocaleString()} invalid
      </Text>
      {trouble !== null && (
        <Text size="sm" c="var(--mantine-color-red-text)" role="alert">
          {trouble}
        </Text>
      )}
      {badLines.length > 0 && (
        <>
          <ListTable
            rows={badLines.slice(0, SHOWN)}
            keyOf={({ line }) => line}
            spacing="xs"
            columns={[
              { head: 'Line', right: true, cell: ({ line }) => line.toLocaleString() },
              { head: 'Problem', cell: ({ why }) => why },
            ]}
          />
          {bad > SHOWN && (
            <Text size="sm" c="dimmed">
              And {(bad - SHOWN).toLocaleString()} more.
            </Text>
          )}
        </>
      )}
      <Group justify="flex-end">
        {badLines.length > 0 && state !== 'running' && (
          <Button variant="default" onClick={report}>
            Download invalid lines
          </Button>
        )}
        {state === 'running' ? (
          <>
            <Button variant="default" onClick={stopImport}>
              Stop
            </Button>
            <Button onClick={close}>Continue in background</Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={forgetImport}>
              Import another file
            </Button>
            <Button
              onClick={() => {
                close()
                forgetImport()
              }}
            >
              Done
            </Button>
          </>
        )}
      </Group>
    </Stack>
  )
}
