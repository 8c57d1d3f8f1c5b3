import { Group, Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core'
import { useKnownShortcuts, useShortcutsOn } from './shortcuts.ts'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useKnownShortcuts()
  const [on, setOn] = useShortcutsOn()
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Stack>
        <Switch
          checked={on}
          onChange={(event) => setOn(event.currentTarget.checked)}
          label="Use single-key shortcuts"
          description="Turn them off if other software, such as speech input, types letters that you did not mean."
        />
        <Table>
          <Table.Tbody>
            <Row keys="Ctrl K" does="Find a page, company or email (Cmd K on a Mac)" />
            {shortcuts.map(({ keys, does }) => (
              <Row key={keys} keys={keys} does={does} />
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Modal>
  )
}

function Row({ keys, does }: { keys: string; does: string }) {
  return (
    <Table.Tr>
      <Table.Td w={120}>
        <Group gap={4}>
          {keys.split(' ').map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{does}</Text>
      </Table.Td>
    </Table.Tr>
  )
}
