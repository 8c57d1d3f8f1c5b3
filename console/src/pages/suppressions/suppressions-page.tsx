import { Button, Group, SegmentedControl, Select, Skeleton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ban, Download, FileUp, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import {
  allowedQuery,
  exportAddress,
  type SuppressionType,
  suppressionsQuery,
} from '../../api/suppressions.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { AddDialog } from './add-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { useImportRun } from './import-run.ts'
import { AllowedTable, SuppressionTable } from './suppression-table.tsx'
import { TYPE_CHOICES } from './types.ts'

const HERE = '/signed-in/c/$company/suppressions'

export function SuppressionsPage() {
  const company = useCompany()
  const { list = 'suppressions', dialog, type } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/suppressions' })
  const mayChange = useMayManage() && company !== ALL
  const run = useImportRun()
  const show = (wanted: 'add' | 'import' | undefined) =>
    void navigate({ search: (now) => ({ ...now, dialog: wanted }), replace: true })
  return (
    <>
      <PageHead
        title="Suppressions"
        about={
          list === 'allowed'
            ? 'Addresses and domains that bounces do not suppress.'
            : 'Addresses that get no more mail because they bounced, complained or unsubscribed.'
        }
      >
        {company !== ALL && list === 'suppressions' && (
          <Button
            variant="default"
            component="a"
            href={exportAddress(company, type)}
            download
            leftSection={<Download size={16} aria-hidden />}
          >
            Export
          </Button>
        )}
        {mayChange && (
          <>
            <Button
              variant="default"
              leftSection={<FileUp size={16} aria-hidden />}
              onClick={() => show('import')}
            >
              {run?.state === 'running' ? 'Importing...' : 'Import'}
            </Button>
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => show('add')}>
              Add
            </Button>
          </>
        )}
      </PageHead>
      {company !== ALL && (
        <SegmentedControl
          mb="sm"
          aria-label="List"
          value={list}
          onChange={(value) =>
            void navigate({ search: value === 'allowed' ? { list: value } : {}, replace: true })
          }
          data={[
            { value: 'suppressions', label: 'Suppressed' },
            { value: 'allowed', label: 'Allow list' },
          ]}
        />
      )}
      <Filters key={list} />
      {list === 'allowed' && company !== ALL ? (
        <Allowed company={company} />
      ) : (
        <Suppressed company={company} />
      )}
      {mayChange && (
        <>
          <AddDialog company={company} list={list} opened={dialog === 'add'} close={() => show(undefined)} />
          <ImportDialog
            company={company}
            list={list}
            opened={dialog === 'import'}
            close={() => show(undefined)}
          />
        </>
      )}
    </>
  )
}

function Filters() {
  const company = useCompany()
  const { term, type, list } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/suppressions' })
  const [text, setText] = useState(term ?? '')
  const first = { after: undefined, before: undefined }
  const go = useDebouncedCallback((next: string) => {
    void navigate({ search: (now) => ({ ...now, ...first, term: next || undefined }), replace: true })
  }, 250)
  return (
    <Group mb="sm" gap="sm">
      <TextInput
        aria-label={company === ALL ? 'Search for an exact address' : 'Search by the start of an address'}
        placeholder={company === ALL ? 'Exact address' : 'Starts with...'}
        leftSection={<Search size={16} aria-hidden />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          go(event.currentTarget.value.trim())
        }}
        w={{ base: '100%', xs: 300 }}
      />
      {list !== 'allowed' && (
        <Select
          aria-label="Type"
          placeholder="All types"
          data={TYPE_CHOICES}
          value={type ?? null}
          onChange={(value) =>
            void navigate({
              search: (now) => ({
                ...now,
                ...first,
                type: (value ?? undefined) as SuppressionType | undefined,
              }),
              replace: true,
            })
          }
          clearable
        />
      )}
    </Group>
  )
}

function Suppressed({ company }: { company: string }) {
  const { term, type, after, before } = useSearch({ from: HERE })
  const { data, error, refetch } = useQuery(suppressionsQuery(company, { term, type, after, before }))
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (!data) return <Skeleton h={160} />
  if (data.data.length === 0) {
    return term !== undefined || type !== undefined ? (
      <Empty icon={Ban} title="No matching addresses" />
    ) : (
      <Empty icon={Ban} title="No suppressed addresses">
        Postroad adds an address when it does not exist, or when its recipient reports spam or unsubscribes.
        You can import a list from another service as CSV.
      </Empty>
    )
  }
  return (
    <>
      <SuppressionTable entries={data.data} />
      <Pages {...data} />
    </>
  )
}

function Allowed({ company }: { company: string }) {
  const { term, after, before } = useSearch({ from: HERE })
  const { data, error, refetch } = useQuery(allowedQuery(company, { term, after, before }))
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (!data) return <Skeleton h={160} />
  if (data.data.length === 0) {
    return (
      <Empty icon={Ban} title="The allow list is empty">
        Add addresses or domains that exist, but whose servers refuse mail now and then.
      </Empty>
    )
  }
  return (
    <>
      <AllowedTable entries={data.data} company={company} />
      <Pages {...data} />
    </>
  )
}

function Pages({ previous, next }: { previous: string | null; next: string | null }) {
  const company = useCompany()
  const { list, term, type } = useSearch({ from: HERE })
  const narrowed = { list, term, type }
  if (previous === null && next === null) return null
  return (
    <Group component="nav" aria-label="Pages of the list" mt="md">
      {previous !== null && (
        <AnchorLink
          to="/c/$company/suppressions"
          params={{ company }}
          search={{ ...narrowed, before: previous }}
        >
          Previous page
        </AnchorLink>
      )}
      {next !== null && (
        <AnchorLink to="/c/$company/suppressions" params={{ company }} search={{ ...narrowed, after: next }}>
          Next page
        </AnchorLink>
      )}
    </Group>
  )
}
