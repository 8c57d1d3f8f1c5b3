/** The filters of the list. They are part of the page's address. */
import { Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { RequestSearch } from '../../api/requests.ts'
import { DayRange } from '../../parts/day-range.tsx'

type ChangeSearch = (part: RequestSearch) => void

export function RequestFilters({
  wanted,
  change,
  clear,
}: {
  wanted: RequestSearch
  change: ChangeSearch
  /** Null: there is nothing to clear. */
  clear: (() => void) | null
}) {
  return (
    <Group component="search" gap="xs" mb="md" align="flex-end">
      <SegmentedControl
        aria-label="Answers"
        value={wanted.refused ? 'refused' : ''}
        onChange={(value) => change({ refused: value === 'refused' || undefined })}
        data={[
          { value: '', label: 'All' },
          { value: 'refused', label: 'Refused' },
        ]}
      />
      <TextFilter
        label="Endpoint"
        placeholder="Endpoint, e.g. /emails"
        value={wanted.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <TextFilter
        label="Status"
        placeholder="Status"
        width={90}
        value={wanted.status?.toString()}
        onChange={(text) => {
          const isStatus = /^[1-9]\d\d$/.test(text ?? '')
          change({ status: isStatus ? Number(text) : undefined })
        }}
      />
      <TextFilter
        label="Error"
        placeholder="Error, e.g. validation_error"
        value={wanted.error}
        onChange={(error) => change({ error })}
      />
      <TextFilter
        label="ID of the key"
        placeholder="ID of the key"
        value={wanted.key}
        onChange={(key) => change({ key })}
      />
      <DayRange days={wanted} onChange={change} />
      {clear && (
        <Button variant="subtle" px="xs" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  )
}

function TextFilter({
  label,
  placeholder,
  value,
  width = 200,
  onChange,
}: {
  label: string
  placeholder: string
  value: string | undefined
  width?: number
  onChange: (text: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const go = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), 300)
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      w={width}
      value={text}
      onChange={({ currentTarget: { value: next } }) => {
        setText(next)
        go(next)
      }}
    />
  )
}
