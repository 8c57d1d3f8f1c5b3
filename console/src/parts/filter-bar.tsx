/** The filters above a list, which are part of the page's address. */
import { Button, Group, Select } from '@mantine/core'
import type { ReactNode } from 'react'

/** `clear`: removes all filters; null: there is nothing to remove. */
export function FilterBar({ clear, children }: { clear: (() => void) | null; children: ReactNode }) {
  return (
    <Group component="search" gap="xs" mb="md">
      {children}
      {clear && (
        <Button variant="subtle" px="xs" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  )
}

/** A select field for one of a few values; `undefined` stands for any value. */
export function FilterChoice<Value extends string>({
  label,
  any,
  words,
  value,
  onChange,
}: {
  label: string
  /** For example `All kinds`. */
  any: string
  words: Readonly<Record<Value, string>>
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}) {
  return (
    <Select
      aria-label={label}
      placeholder={any}
      clearable
      w={180}
      data={Object.entries<string>(words).map(([key, word]) => ({ value: key, label: word }))}
      value={value ?? null}
      onChange={(chosen) => onChange((chosen ?? undefined) as Value | undefined)}
    />
  )
}
