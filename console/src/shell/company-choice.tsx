import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMe } from '../api/session.ts'
import { visible } from '../parts/untrusted-text.tsx'
import { ALL, useCompany } from './company.ts'

export function CompanyChoice() {
  const { companies, person } = useMe()
  const company = useCompany()
  const navigate = useNavigate()
  const data = companies.map(({ id, name }) => ({ value: id, label: visible(name) }))
  if (person.operator) data.unshift({ value: ALL, label: 'All companies' })
  if (data.length < 2) return null
  return (
    <Select
      aria-label="Company"
      data={data}
      value={company}
      allowDeselect={false}
      searchable={data.length > 8}
      onChange={(chosen) => chosen && navigate({ to: '/c/$company/emails', params: { company: chosen } })}
    />
  )
}
