/** Beside the message about a filter that does not exist: a search for the text itself. */
import { Button } from '@mantine/core'
import { visible } from '../../parts/untrusted-text.tsx'
import { FILTERS } from './completions.ts'

export interface AsTextProps {
  text: string
  onChoose: (text: string) => void
}

export function AsText({ text, onChoose }: AsTextProps) {
  const term = unknownTerm(text)
  if (term === null) return null
  return (
    <Button
      size="compact-sm"
      variant="light"
      maw="60%"
      style={{ flex: 'none', pointerEvents: 'auto' }}
      onClick={() => onChoose(text.replace(term, () => `"${term}"`))}
    >
      Search for “{visible(term)}”
    </Button>
  )
}

/** The first term that looks like a filter and is none. Null: there is none, or quotation marks cannot hold it. */
function unknownTerm(text: string): string | null {
  for (const [term, name, value] of text.matchAll(/(?<=^|\s)([a-z]+):(\S*)/gi)) {
    const isKnown = FILTERS.some((filter) => filter.name === name!.toLowerCase())
    if (!isKnown && !value!.includes('"') && !value!.startsWith('//')) return term
  }
  return null
}
