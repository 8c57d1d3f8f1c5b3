import { Select, type SelectProps } from '@mantine/core'
import { type NamedDomain, useDomainSearch } from './domain-search.ts'

/** One of the domains of a company, however many there are. */
export function DomainSelect({
  company,
  value,
  onChange,
  sending,
  ...field
}: {
  company: string
  value: NamedDomain | null
  onChange: (domain: NamedDomain | null) => void
  /** Only those that may send. */
  sending?: boolean
} & Pick<
  SelectProps,
  'label' | 'description' | 'inputWrapperOrder' | 'placeholder' | 'clearable' | 'allowDeselect' | 'error'
>) {
  const search = useDomainSearch(company, value === null ? [] : [value], { sending: sending ?? false })
  return (
    <Select
      {...field}
      {...search.field}
      value={value?.name ?? null}
      onChange={(name) => onChange(name === null ? null : (search.of(name) ?? null))}
    />
  )
}
