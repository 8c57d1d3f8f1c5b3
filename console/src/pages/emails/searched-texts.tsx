/** Says how many texts a search for words has read, and leads to a search in older ones. */
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { asBodySearch } from './body-search.ts'
import type { EmailsPage } from './merge.ts'
import type { EmailsSearch } from './search.ts'

interface SearchedTextsProps {
  company: string
  search: EmailsSearch
  texts: NonNullable<EmailsPage['texts']>
}

export function SearchedTexts({ company, search, texts: { count, all } }: SearchedTextsProps) {
  if (all || search.q === undefined) return null
  return (
    <Text size="sm" c="dimmed" ta="center" p="md">
      Searched the subjects, addresses and replies of all emails for whole words, and the newest{' '}
      {count.toLocaleString()} for beginnings of words and in their texts.{' '}
      <Link
        to="/c/$company/emails"
        params={{ company }}
        search={{ ...search, q: asBodySearch(search.q) }}
        style={{ color: 'var(--mantine-color-anchor)' }}
      >
        Search older texts
      </Link>
    </Text>
  )
}
