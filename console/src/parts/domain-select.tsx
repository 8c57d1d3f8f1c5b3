import { Select, type SelectProps } from '@mantine/core'
import { type NamedDomain, useDomainSearch } from './domain-search.ts'

/** A field for one domain of the company. It searches on the server, so any number of domains works. */
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
  /** Offers only domains that may send. */
  sending?: boolean
} & Pick<
  SelectProps,
  | 'aria-label'
  | 'label'
  | 'description'
  | 'inputWrapperOrder'
  | 'placeholder'
  | 'clearable'
  | 'allowDeselect'
  | 'error'
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
