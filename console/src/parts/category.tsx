/** Why mail was refused or is late, in a word. */
import { Badge } from '@mantine/core'
import { CATEGORY_WORDS } from '../../../src/email/category-word.ts'

export function Category({ of }: { of: keyof typeof CATEGORY_WORDS }) {
  const { word, about } = CATEGORY_WORDS[of]
  return (
    <Badge component="span" size="sm" variant="default" title={about}>
      {word}
    </Badge>
  )
}
