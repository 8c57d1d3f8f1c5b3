import { Group, Select, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useMe } from '../api/session.ts'
import { CompanyLogo } from '../parts/company-logo.tsx'
import { loaded } from '../parts/later.ts'
import { UntrustedText, visible } from '../parts/untrusted-text.tsx'
import { ALL, useCompany } from './company.ts'

const loadSamePage = loaded(
  () => import('./same-page.ts'),
  () => Promise.resolve(),
)

export function CompanyChoice() {
  const { companies, person } = useMe()
  const company = useCompany()
  const router = useRouter()
  const data = companies.map(({ id, name }) => ({ value: id, label: visible(name) }))
  if (person.operator) data.unshift({ value: ALL, label: 'All companies' })
  const logoOf = (id: string) => {
    const found = companies.find((each) => each.id === id)
    return found === undefined || found.logo === null ? null : <CompanyLogo of={found} />
  }
  const logo = logoOf(company)
  if (data.length < 2) {
    const [only] = companies
    if (only === undefined) return null
    return (
      <Group gap="xs" pl={6} wrap="nowrap">
        {logo}
        <Text size="sm" fw={600} truncate title={visible(only.name)}>
          <UntrustedText>{only.name}</UntrustedText>
        </Text>
      </Group>
    )
  }
  return (
    <Select
      aria-label="Company"
      data={data}
      value={company}
      leftSection={logo}
      renderOption={({ option: { value, label } }) => (
        <Group gap="xs" wrap="nowrap">
          {logoOf(value)}
          {label}
        </Group>
      )}
      allowDeselect={false}
      searchable={data.length > 8}
      onChange={async (chosen) => {
        if (chosen === null) return
        const part = await loadSamePage().catch(() => null)
        void router.navigate(
          part?.samePage(router.state.location, chosen, companies) ?? {
            to: '/c/$company/emails',
            params: { company: chosen },
          },
        )
      }}
    />
  )
}
