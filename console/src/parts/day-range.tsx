/** The first and the last day of what a list shows. */
import { Group, Text, TextInput } from '@mantine/core'

interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** `onChange`: gets one end; undefined: it is open. */
export function DayRange({ days, onChange }: { days: Days; onChange: (end: Days) => void }) {
  return (
    <Group gap="xs">
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          aria-label={WORDS[end]}
          leftSection={<Text size="sm">{WORDS[end]}</Text>}
          leftSectionWidth={52}
          value={days[end] ?? ''}
          min={end === 'to' ? days.from : undefined}
          max={end === 'from' ? days.to : undefined}
          onChange={({ currentTarget: { value } }) => onChange({ [end]: value || undefined })}
        />
      ))}
    </Group>
  )
}

const WORDS = { from: 'From', to: 'To' } as const
