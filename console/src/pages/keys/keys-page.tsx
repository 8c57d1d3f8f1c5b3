import { Box, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type ApiKey, keysQuery, renameKey, revokeKey } from '../../api/keys.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { RenameDialog } from '../../parts/form-dialog.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PageTabs } from '../../parts/page-tabs.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { SearchableList } from '../../parts/searchable-list.tsx'
import { Time } from '../../parts/time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import { useAddDialog } from '../../shell/add-dialog.tsx'
import { ALL, useCompany, useMayManage } from '../../shell/company.ts'
import { NextStep } from '../../shell/next-step.tsx'
import { CreateKey } from './create-key.tsx'
import { Bounds, End, LastUse, Scopes } from './key-cells.tsx'
import { RotateKey } from './rotate-key.tsx'
import { SnippetsPanel } from './snippets-panel.tsx'

const HERE = '/signed-in/c/$company/keys'

export function KeysPage() {
  const company = useCompany()
  const { show, client } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/keys' })
  const adding = useAddDialog('Create API key')
  const { data: firstKeys } = useQuery(keysQuery(company, {}))
  return (
    <>
      <PageHead title="API keys" about="Applications use a key to send over HTTP or SMTP.">
        {adding?.button(firstKeys?.total === 0 ? 'default' : 'filled')}
      </PageHead>
      <PageTabs
        shown={show}
        onShow={(show) => void navigate({ search: { show } })}
        tabs={[
          { label: 'Keys', content: <Keys company={company} create={adding?.button()} /> },
          { name: 'ended', label: 'Revoked and expired', content: <Keys company={company} ended /> },
          company !== ALL && {
            name: 'snippets',
            label: 'How to send',
            content: (
              <Box maw={820}>
                <SnippetsPanel
                  company={company}
                  token={null}
                  only={null}
                  client={client}
                  onClient={(id) =>
                    void navigate({ search: { show: 'snippets', client: id }, replace: true })
                  }
                />
              </Box>
            ),
          },
        ]}
      />
      {adding && <CreateKey {...adding.dialog} />}
    </>
  )
}

function Keys({ company, ended = false, create }: { company: string; ended?: boolean; create?: ReactNode }) {
  const { search } = useSearch({ from: HERE })
  const navigate = useNavigate({ from: '/c/$company/keys' })
  const query = useQuery(keysQuery(company, { search, ended: ended || undefined }))
  const { data } = query
  const [renaming, setRenaming] = useState<ApiKey | null>(null)
  const [rotating, setRotating] = useState<ApiKey | null>(null)
  const mayManage = useMayManage()
  return (
    <>
      <SearchableList
        what="keys"
        query={query}
        total={data?.total}
        search={search}
        onSearch={(next) =>
          void navigate({ search: (before) => ({ ...before, search: next }), replace: true })
        }
        rows={data?.keys}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: ({ name, tokenStart }) => (
              <>
                <Text fw={600} size="sm">
                  <UntrustedText>{name}</UntrustedText>
                </Text>
                {tokenStart !== null && (
                  <Text size="xs" c="dimmed" ff="monospace">
                    {tokenStart}…
                  </Text>
                )}
              </>
            ),
          },
          company === ALL && {
            head: 'Company',
            cell: ({ company }) => <UntrustedText>{company.name}</UntrustedText>,
          },
          { head: 'Permissions', cell: (key) => <Scopes of={key} /> },
          { head: 'From', cell: (key) => <Bounds of={key} /> },
          { head: 'Expires', cell: (key) => <End of={key} /> },
          { head: 'Last used', cell: (key) => <LastUse of={key} /> },
          { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          mayManage && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (key) =>
              key.revokedAt === null && (
                <RowMenu
                  label={`Actions for key ${key.name}`}
                  items={[
                    { label: 'Rename...', onClick: () => setRenaming(key) },
                    !ended && { label: 'Rotate...', onClick: () => setRotating(key) },
                    { label: 'Revoke...', destructive: true, onClick: () => void askToRevoke(key) },
                  ]}
                />
              ),
          },
        ]}
        empty={
          ended ? (
            <Text c="dimmed">No revoked or expired keys.</Text>
          ) : (
            <Empty icon={KeyRound} title="No API keys yet" action={<NextStep otherwise={create} />}>
              An application needs a key to send. Create a key for each application: it can be limited to a
              domain, and revoked without affecting the others.
            </Empty>
          )
        }
      />
      <RenameDialog
        title="Rename key"
        from={renaming?.name ?? null}
        rename={(name) => renameKey(renaming!.company.id, renaming!.id, name)}
        close={() => setRenaming(null)}
      />
      {rotating !== null && <RotateKey old={rotating} close={() => setRotating(null)} />}
    </>
  )
}

const askToRevoke = ({ id, name, company }: ApiKey) =>
  confirm({
    title: 'Revoke this key?',
    about: (
      <>
        “<UntrustedText>{name}</UntrustedText>” stops working everywhere within a second. This cannot be
        undone. Emails that were accepted with it are still sent.
      </>
    ),
    act: 'Revoke key',
    cancel: 'Keep key',
    run: () => revokeKey(company.id, id),
  })
