import { ActionIcon, Popover, Table, Text, UnstyledButton } from '@mantine/core'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { FILTERS } from './completions.ts'
import classes from './emails.module.css'

const BARE = [
  { example: 'invoice', about: 'a word of the subject' },
  { example: 'ada@example.com', about: 'what went to this address' },
]

/** What the search understands, to look at and to choose from. */
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
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="What can be searched for"
          onClick={() => setOpened(!opened)}
        >
          <CircleHelp size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="What can be searched for">
        <Text size="sm" mb={4}>
          Several together narrow it further. Words with a space go into quotation marks.
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
