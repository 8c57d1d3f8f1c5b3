/** The filters of the audit list: by person, action and time. They are part of the page's address. */
import { Autocomplete, SegmentedControl, Select } from '@mantine/core'
import { useState } from 'react'
import type { AuditSearch } from '../../api/audit.ts'
import { DayRange } from '../../parts/day-range.tsx'
import { FilterBar } from '../../parts/filter-bar.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useRole } from '../../shell/company.ts'
import { ACTIONS } from './sentence.ts'

export function AuditFilters({
  wanted,
  change,
  clear,
  names,
}: {
  wanted: AuditSearch
  change: (part: Partial<Record<keyof AuditSearch, string | undefined>>) => void
  /** Null: there is nothing to clear. */
  clear: (() => void) | null
  /** The names of people and keys in the entries that are loaded. */
  names: readonly string[]
}) {
  const standing = useRole()
  const seesSessions = standing === 'owner' || standing === 'operator'
  return (
    <FilterBar clear={clear}>
      {seesSessions && (
        <SegmentedControl
          aria-label="Type of entry"
          value={wanted.topic ?? ''}
          onChange={(topic) => change({ topic: topic || undefined, action: undefined })}
          data={[
            { value: '', label: 'All' },
            { value: 'change', label: 'Changes' },
            { value: 'session', label: 'Sign-ins' },
          ]}
        />
      )}
      <By key={wanted.by ?? ''} by={wanted.by} names={names} onChange={(by) => change({ by })} />
      <Select
        aria-label="Action"
        placeholder="Any action"
        data={ACTIONS}
        value={wanted.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
        nothingFoundMessage="No matching actions"
        searchable
        clearable
        w={240}
      />
      <DayRange days={wanted} onChange={change} />
    </FilterBar>
  )
}

/** Offers the loaded names; any other name has to be typed in full. */
function By({
  by,
  names,
  onChange,
}: {
  by: string | undefined
  names: readonly string[]
  onChange: (by: string | undefined) => void
}) {
  const [text, setText] = useState(by ?? '')
  const set = (name: string) => {
    if (name.trim() !== (by ?? '')) onChange(name.trim() || undefined)
  }
  return (
    <Autocomplete
      aria-label="By"
      placeholder="By anyone"
      data={[...names]}
      renderOption={({ option }) => <UntrustedText>{option.value}</UntrustedText>}
      value={text}
      onChange={setText}
      onOptionSubmit={set}
      onBlur={() => set(text)}
      onKeyDown={({ key }) => key === 'Enter' && set(text)}
      autoCapitalize="none"
      spellCheck={false}
      w={220}
    />
  )
}
