import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'

/** Filters a list as the person types. `search` receives the text; `undefined` if the field is empty. */
export function SearchField({
  label,
  placeholder = 'Search',
  value,
  search,
  mb = 'sm',
}: {
  label: string
  placeholder?: string
  value: string | undefined
  search: (text: string | undefined) => void
  mb?: 'sm' | 0
}) {
  const [text, setText] = useState(value ?? '')
  const go = useDebouncedCallback((next: string) => search(next || undefined), 200)
  return (
    <TextInput
      mb={mb}
      maw={360}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        go(event.currentTarget.value)
      }}
    />
  )
}
