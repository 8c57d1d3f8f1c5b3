import { ActionIcon, Popover, Table, Text, UnstyledButton } from '@mantine/core'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { FILTERS } from './completions.ts'
import classes from './emails.module.css'

const BARE = [
  { example: 'invoice', about: 'a word in the subject' },
  { example: 'ada@example.com', about: 'emails to this address' },
]

/** Lists the search syntax. A click on an example adds it to the search. */
export function SearchHelp({ onChoose }: { onChoose: (example: string) => void }) {
  const [opened, setOpened] = useState(false)
  return (
    <Popover
      position="bottom-end"
      width={340}
      trapFocus
      withRoles
      shadow="md"
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        <ActionIcon variant="default" size="lg" aria-label="Search help" onClick={() => setOpened(!opened)}>
          <CircleHelp size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Search help">
        <Text size="sm" mb={4}>
          Combine filters to narrow the search. Put values with spaces in quotation marks.
        </Text>
        <Table verticalSpacing={2} horizontalSpacing={4} withRowBorders={false}>
          <Table.Tbody>
            {[...BARE, ...FILTERS].map(({ example, about }) => (
              <Table.Tr key={example}>
                <Table.Td>
                  <UnstyledButton
                    className={classes.term}
                    onClick={() => {
                      setOpened(false)
                      onChoose(example)
                    }}
                  >
                    {example}
                  </UnstyledButton>
                </Table.Td>
                <Table.Td>
                  <Text size="xs" c="dimmed">
                    {about}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  )
}
