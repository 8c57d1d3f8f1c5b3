/** The first and the last day of what a list shows. */
import { TextInput } from '@mantine/core'

interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** `onChange`: gets one end; undefined: it is open. */
export function DayRange({ days, onChange }: { days: Days; onChange: (end: Days) => void }) {
  return (['from', 'to'] as const).map((end) => (
    <TextInput
      key={end}
      type="date"
      aria-label={end === 'from' ? 'From' : 'To'}
      title={end === 'from' ? 'From this day' : 'To this day'}
      value={days[end] ?? ''}
      min={end === 'to' ? days.from : undefined}
      max={end === 'from' ? days.to : undefined}
      onChange={({ currentTarget: { value } }) => onChange({ [end]: value || undefined })}
    />
  ))
}
