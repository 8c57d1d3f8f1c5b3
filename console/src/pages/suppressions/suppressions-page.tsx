import { Button, SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, FileUp, Plus } from 'lucide-react'
import { exportAddress, type SuppressionFilter, suppressionCountQuery } from '../../api/suppressions.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { FilterBar, FilterChoice } from '../../parts/filter-bar.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { AddDialog } from './add-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { useImportRun } from './import-run.ts'
import { AllowListTable, SuppressionTable } from './suppression-table.tsx'
import { TYPE_WORDS } from './types.ts'

const HERE = '/signed-in/c/$company/suppressions'

export function SuppressionsPage() {
  const company = useCompany()
  const { list = 'suppressions', dialog, type, domain } = useSearch({ from: HERE })
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
            href={exportAddress(company, { type, domain })}
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
        <AllowListTable company={company} />
      ) : (
        <SuppressionTable company={company} />
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
  const { term, type, domain, list } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/suppressions' })
  const isNarrowed = term !== undefined || type !== undefined || domain !== undefined
  const change = (part: SuppressionFilter) =>
    void navigate({
      search: (now) => ({ ...now, after: undefined, before: undefined, ...part }),
      replace: true,
    })
  const clear = () => change({ term: undefined, type: undefined, domain: undefined })
  return (
    <FilterBar clear={isNarrowed ? clear : null}>
      <SearchField
        label={company === ALL ? 'Search for an exact address' : 'Search by the start of an address'}
        placeholder={company === ALL ? 'Exact address' : 'Starts with...'}
        mb={0}
        value={term}
        search={(text) => change({ term: text })}
      />
      {list !== 'allowed' && (
        <FilterChoice
          label="Type"
          any="All types"
          words={TYPE_WORDS}
          value={type}
          onChange={(chosen) => change({ type: chosen })}
        />
      )}
      {company !== ALL && (
        <DomainSelect
          company={company}
          aria-label="Domain"
          placeholder="All domains"
          value={domain === undefined ? null : { id: domain, name: domain }}
          onChange={(chosen) => change({ domain: chosen?.name })}
          clearable
        />
      )}
      {list !== 'allowed' && company !== ALL && <Total company={company} filter={{ term, type, domain }} />}
    </FilterBar>
  )
}

/** The number of entries found. The server stops counting at a limit. */
function Total({ company, filter }: { company: string; filter: SuppressionFilter }) {
  const { data } = useQuery(suppressionCountQuery(company, filter))
  if (data === undefined) return null
  const { count, more } = data
  const number = `${count.toLocaleString()}${more ? '+' : ''}`
  return (
    <Text size="sm" c="dimmed" role="status" lh="36px" style={{ whiteSpace: 'nowrap' }}>
      {number} {count === 1 ? 'entry' : 'entries'}
    </Text>
  )
}
