/** Asks before an action on several objects, shows its progress, and then what was refused. */

import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { capitalized } from './capitalized.ts'
import { csvOf } from './csv.ts'
import { Dialog } from './dialog.tsx'
import { download } from './download.ts'
import { ListTable } from './list-table.tsx'

export interface BatchAction {
  /** A question that says how many objects there are. */
  title: string
  about: string
  /** The label of the button that starts the action. */
  act: string
  /** The label of the button that cancels. */
  cancel?: string
  /** The button that cancels has the focus, so that Enter alone loses nothing. */
  destructive?: boolean
  /** A sentence about the objects that were changed. */
  done: (count: number) => string
  run: (ids: string[]) => Promise<BatchReply>
  /** The objects it acts on; by default all that are selected. None: the dialog only says why. */
  ids?: readonly string[]
}

interface BatchReply {
  changed: number
  refused: { id: string; why: string }[]
}

interface BatchDialogProps {
  action: BatchAction
  chosen: readonly string[]
  /** How a refused object is shown to people. */
  nameOf: (id: string) => string
  /** `isDone`: the action was started. */
  onClose: (isDone: boolean) => void
}

/** Objects in one request. */
const OBJECTS_PER_REQUEST = 50
/** Reasons on screen, and objects of each; the file has all. */
const SHOWN = 8

interface BatchRun extends BatchReply {
  done: number
  state: 'running' | 'stopped' | 'done' | 'failed'
  trouble: string | null
}

export function BatchDialog({ action: asked, chosen, nameOf, onClose }: BatchDialogProps) {
  // The list below changes while the action runs. The dialog stays with what the person was asked.
  const [action] = useState(asked)
  const [ids] = useState(asked.ids ?? chosen)
  const [run, setRun] = useState<BatchRun | null>(null)
  const stopping = useRef(false)
  const start = async () => {
    let now: BatchRun = { changed: 0, refused: [], done: 0, state: 'running', trouble: null }
    setRun(now)
    try {
      for (let at = 0; at < ids.length && !stopping.current; at += OBJECTS_PER_REQUEST) {
        const some = ids.slice(at, at + OBJECTS_PER_REQUEST)
        const { changed, refused } = await action.run(some)
        now = {
          ...now,
          changed: now.changed + changed,
          refused: [...now.refused, ...refused],
          done: now.done + some.length,
        }
        setRun(now)
      }
      setRun({ ...now, state: stopping.current ? 'stopped' : 'done' })
    } catch (error) {
      setRun({ ...now, state: 'failed', trouble: error instanceof Error ? error.message : String(error) })
    }
  }
  const isRunning = run?.state === 'running'
  return (
    <Dialog
      opened
      onClose={() => !isRunning && onClose(run !== null)}
      withCloseButton={!isRunning}
      closeButtonProps={{ 'aria-label': 'Close' }}
      title={action.title}
      size="lg"
    >
      <Stack>
        {run === null ? (
          <Text size="sm">{action.about}</Text>
        ) : (
          <Progression run={run} action={action} count={ids.length} nameOf={nameOf} />
        )}
        <Group justify="flex-end">
          {run === null && ids.length === 0 && (
            <Button data-autofocus onClick={() => onClose(false)}>
              Close
            </Button>
          )}
          {run === null && ids.length > 0 && (
            <>
              <Button
                variant="default"
                data-autofocus={action.destructive || undefined}
                onClick={() => onClose(false)}
              >
                {action.cancel ?? 'Cancel'}
              </Button>
              <Button
                data-autofocus={!action.destructive || undefined}
                {...(action.destructive && { color: 'red' })}
                onClick={() => void start()}
              >
                {action.act}
              </Button>
            </>
          )}
          {isRunning && (
            <Button
              variant="default"
              onClick={() => {
                stopping.current = true
              }}
            >
              Stop
            </Button>
          )}
          {run !== null && !isRunning && <Button onClick={() => onClose(true)}>Done</Button>}
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ProgressionProps extends Pick<BatchDialogProps, 'action' | 'nameOf'> {
  run: BatchRun
  count: number
}

function Progression({
  run: { done, changed, refused, state, trouble },
  action,
  count,
  nameOf,
}: ProgressionProps) {
  const reasons = [...Map.groupBy(refused, ({ why }) => why)]
  const report = () =>
    download(
      'not-changed.csv',
      csvOf([['id', 'name', 'why'], ...refused.map(({ id, why }) => [id, nameOf(id), why])]),
    )
  return (
    <>
      <Progress.Root size="lg">
        <Progress.Section
          value={(100 * done) / count}
          color={state === 'failed' ? 'red' : 'road'}
          aria-label="Progress"
        />
      </Progress.Root>
      <Text size="sm" role="status">
        {done.toLocaleString()} of {count.toLocaleString()}. {action.done(changed)}
        {refused.length > 0 && ` ${refused.length.toLocaleString()} could not be changed.`}
        {state === 'stopped' && ' Stopped.'}
      </Text>
      {trouble !== null && (
        <Text size="sm" c="var(--mantine-color-red-text)" role="alert">
          {trouble}
        </Text>
      )}
      {state !== 'running' && refused.length > 0 && (
        <>
          <ListTable
            rows={reasons.slice(0, SHOWN)}
            keyOf={([why]) => why}
            spacing="xs"
            columns={[
              {
                head: 'Not changed',
                cell: ([, objects]) => (
                  <>
                    {objects.slice(0, SHOWN).map(({ id }) => (
                      <bdi key={id} style={{ display: 'block' }}>
                        {nameOf(id)}
                      </bdi>
                    ))}
                    {objects.length > SHOWN && `and ${(objects.length - SHOWN).toLocaleString()} more`}
                  </>
                ),
              },
              { head: 'Reason', cell: ([why]) => capitalized(why) },
            ]}
          />
          {refused.length > SHOWN && (
            <Button variant="default" onClick={report} style={{ alignSelf: 'flex-start' }}>
              Download all {refused.length.toLocaleString()}
            </Button>
          )}
        </>
      )}
    </>
  )
}
