import { Button, Skeleton, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { type ApiKey, keysQuery } from '../../api/keys.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorAlert } from '../../parts/error-alert.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { CreateKey } from './create-key.tsx'
import { RenameKey, RevokeKey } from './key-dialogs.tsx'
import { KeyTable } from './key-table.tsx'
import { SnippetsPanel } from './snippets-panel.tsx'

const HERE = '/signed-in/c/$company/keys'
/** A shorter list needs no search field. */
const WORTH_A_SEARCH = 10

export function KeysPage() {
  const company = useCompany()
  const { show = 'working', add, client } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/keys' })
  const mayAdd = useMayManage() && company !== ALL
  const setAdd = (open: boolean) =>
    void navigate({ search: (before) => ({ ...before, add: open || undefined }), replace: true })
  const create = mayAdd && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdd(true)}>
      Create API key
    </Button>
  )
  return (
    <>
      <PageHead title="API keys" about="Applications use a key to send over HTTP or SMTP.">
        {create}
      </PageHead>
      <Tabs
        value={show}
        keepMounted={false}
        onChange={(next) =>
          void navigate({ search: { show: next === 'ended' || next === 'snippets' ? next : undefined } })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="working">Keys</Tabs.Tab>
          <Tabs.Tab value="ended">Revoked and expired</Tabs.Tab>
          {company !== ALL && <Tabs.Tab value="snippets">How to send</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="working">
          <Keys company={company} ended={false} create={create} />
        </Tabs.Panel>
        <Tabs.Panel value="ended">
          <Keys company={company} ended create={false} />
        </Tabs.Panel>
        {company !== ALL && (
          <Tabs.Panel value="snippets" maw={820}>
            <SnippetsPanel
              company={company}
              token={null}
              only={null}
              client={client}
              onClient={(id) => void navigate({ search: { show: 'snippets', client: id }, replace: true })}
            />
          </Tabs.Panel>
        )}
      </Tabs>
      {mayAdd && <CreateKey company={company} opened={add === true} close={() => setAdd(false)} />}
    </>
  )
}

function Keys({ company, ended, create }: { company: string; ended: boolean; create: React.ReactNode }) {
  const { search } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/keys' })
  const { data, error, refetch } = useQuery(keysQuery(company, { search, ended: ended || undefined }))
  const [renaming, setRenaming] = useState<ApiKey | null>(null)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const mayManage = useMayManage()
  if (error && !data) return <ErrorAlert error={error} reset={() => void refetch()} />
  if (!data) return <Skeleton h={160} />
  const { keys, total } = data
  return (
    <>
      {(total > WORTH_A_SEARCH || search !== undefined) && (
        <SearchField
          label="Search keys"
          value={search}
          search={(next) =>
            void navigate({ search: (before) => ({ ...before, search: next }), replace: true })
          }
        />
      )}
      {keys.length > 0 && (
        <KeyTable
          keys={keys}
          ofAll={company === ALL}
          rename={mayManage ? setRenaming : null}
          revoke={mayManage ? setRevoking : null}
        />
      )}
      {keys.length < total && (
        <Text c="dimmed" size="sm" mt="sm">
          Showing the newest {keys.length} of {total}. Search to find others.
        </Text>
      )}
      {total === 0 && search !== undefined && <Text c="dimmed">No keys match “{search}”.</Text>}
      {total === 0 && search === undefined && ended && <Text c="dimmed">No revoked or expired keys.</Text>}
      {total === 0 && search === undefined && !ended && (
        <Empty icon={KeyRound} title="No API keys yet">
          <p>
            An application needs a key to send. Create a key for each application: it can be limited to a
            domain, and revoked without affecting the others.
          </p>
          {create}
        </Empty>
      )}
      <RenameKey apiKey={renaming} close={() => setRenaming(null)} />
      <RevokeKey apiKey={revoking} close={() => setRevoking(null)} />
    </>
  )
}
