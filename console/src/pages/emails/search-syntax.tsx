import { Text, UnstyledButton } from '@mantine/core'
import { ListTable } from '../../parts/list-table.tsx'
import { FILTERS } from './completions.ts'
import classes from './emails.module.css'

const BARE = [
  {
    example: 'invoice',
    about: 'a word in the subject, in an address or in a reply; in newer emails, also in the text',
  },
  { example: 'ada@example.com', about: 'emails to or from this address' },
]

export function SearchSyntax({ onChoose }: { onChoose: (example: string) => void }) {
  return (
    <>
      <Text size="sm" mb={4}>
        Combine filters to narrow the search. Put values with spaces in quotation marks.
      </Text>
      <ListTable
        rows={[...BARE, ...FILTERS]}
        keyOf={({ example }) => example}
        spacing="xs"
        columns={[
          {
            head: 'Example',
            headHidden: true,
            cell: ({ example }) => (
              <UnstyledButton className={classes.term} onClick={() => onChoose(example)}>
                {example}
              </UnstyledButton>
            ),
          },
          {
            head: 'Meaning',
            headHidden: true,
            cell: ({ about }) => (
              <Text size="xs" c="dimmed">
                {about}
              </Text>
            ),
          },
        ]}
      />
    </>
  )
}
