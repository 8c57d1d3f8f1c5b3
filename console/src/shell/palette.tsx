/** The command palette: finds pages, objects and actions by name, and emails by id or search. */
import { Combobox, TextInput, useCombobox, VisuallyHidden } from '@mantine/core'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useCommands } from './palette-commands.ts'

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState('')
  const commands = useCommands(text.trim(), onHelp)
  const first = commands[0]?.id
  const combobox = useCombobox({
    opened: true,
    // The field keeps Escape from the dialog, to close a list that here is always open.
    onDropdownClose: (source) => source === 'keyboard' && onClose(),
  })
  const { selectFirstOption } = combobox
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of results changes with the text
  useEffect(() => {
    selectFirstOption()
  }, [text, first, selectFirstOption])
  return (
    <Dialog
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title={null}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Combobox
        store={combobox}
        withinPortal={false}
        onOptionSubmit={(id) => {
          onClose()
          commands.find((command) => command.id === id)?.run()
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            placeholder="Find a page, object or action"
            aria-label="Find a page, object or action"
            leftSection={<Search size={18} aria-hidden />}
            size="md"
            variant="unstyled"
            data-autofocus
          />
        </Combobox.EventsTarget>
        <Combobox.Options mah={360} p={6} aria-label="Results">
          {commands.map(({ id, label, icon: Icon }) => (
            <Combobox.Option key={id} value={id}>
              <Icon size={16} aria-hidden /> {label}
            </Combobox.Option>
          ))}
          {commands.length === 0 && <Combobox.Empty>No results</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
      <VisuallyHidden role="status">
        {commands.length} {commands.length === 1 ? 'result' : 'results'}
      </VisuallyHidden>
    </Dialog>
  )
}
