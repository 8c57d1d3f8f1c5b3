import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

/** Filters a list as the person types. `search` receives the text; `undefined` if the field is empty. */
export function SearchField({
  label,
  placeholder = 'Search',
  value,
  search,
  mb = 'sm',
  width,
}: {
  label: string
  placeholder?: string
  value: string | undefined
  search: (text: string | undefined) => void
  mb?: 'sm' | 0
  width?: number
}) {
  const [text, setText] = useState(value ?? '')
  const sent = useRef(value)
  // When the filter is removed elsewhere, or the browser goes back: what this field has sent is no news to it.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value ?? '')
  }, [value])
  const go = useDebouncedCallback((next: string) => {
    sent.current = next.trim() || undefined
    search(sent.current)
  }, 200)
  return (
    <TextInput
      mb={mb}
      maw={360}
      w={width}
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
