import { Group, Kbd, Stack, Switch } from '@mantine/core'
import { Dialog } from '../parts/dialog.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { useKnownShortcuts, useShortcutsOn } from './shortcuts.ts'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useKnownShortcuts()
  const [on, setOn] = useShortcutsOn()
  return (
    <Dialog opened onClose={onClose} title="Keyboard shortcuts">
      <Stack>
        <Switch
          checked={on}
          onChange={(event) => setOn(event.currentTarget.checked)}
          label="Use single-key shortcuts"
          description="Turn them off if other software, such as speech input, types letters that you did not mean."
        />
        <ListTable
          rows={listed(shortcuts)}
          keyOf={({ keys }) => keys}
          columns={[
            { head: 'Keys', headHidden: true, width: 120, cell: ({ keys }) => <Keys of={keys} /> },
            { head: 'Action', headHidden: true, cell: ({ does }) => does },
          ]}
        />
      </Stack>
    </Dialog>
  )
}

const ALWAYS = [
  { keys: 'Ctrl K', does: 'Find a page, object or action (Cmd K on a Mac)' },
  { keys: '↓ ↑', does: 'Next or previous row of a list that has the focus' },
]

/** A key that several parts of the page have registered does what the first of them says. */
function listed(shortcuts: ReturnType<typeof useKnownShortcuts>) {
  return [
    ...ALWAYS,
    ...shortcuts.filter((each, at) => shortcuts.findIndex(({ keys }) => keys === each.keys) === at),
  ]
}

function Keys({ of }: { of: string }) {
  return (
    <Group gap={4}>
      {of.split(' ').map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Group>
  )
}
