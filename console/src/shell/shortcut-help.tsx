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
          rows={[{ keys: 'Ctrl K', does: 'Find a page, object or action (Cmd K on a Mac)' }, ...shortcuts]}
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

function Keys({ of }: { of: string }) {
  return (
    <Group gap={4}>
      {of.split(' ').map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Group>
  )
}
