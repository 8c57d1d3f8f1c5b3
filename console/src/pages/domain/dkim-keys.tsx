/**
 * The DKIM keys of a domain. To replace a key, publish and activate the new one before deactivating the old
 * one.
 */
import { Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { changeDkimKey, removeDkimKey, type WholeDomain } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { attempt } from '../../parts/confirm.tsx'
import { RenameDialog } from '../../parts/form-dialog.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { useMayManage } from '../../shell/company.ts'
import { AddDkimKey } from './add-dkim-key.tsx'

type DomainDkimKey = WholeDomain['dkim'][number]

export function DkimKeys({ company, domain }: { company: string; domain: WholeDomain }) {
  const mayManage = useMayManage()
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<DomainDkimKey | null>(null)
  const change = ({ selector }: DomainDkimKey, body: { active: boolean }) =>
    void attempt({ run: () => changeDkimKey(company, domain.id, selector, body) })
  return (
    <Stack>
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4">
            DKIM keys
          </Title>
          <Text size="sm" c="dimmed" maw={640}>
            Mail is signed with every active key. To replace a key, add a new one, publish its record,
            activate it once DNS has the record, and deactivate the old key some days later.
          </Text>
        </div>
        {mayManage && (
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            Add a key
          </Button>
        )}
      </Group>
      <ListTable
        rows={domain.dkim}
        keyOf={({ selector }) => selector}
        label="DKIM keys"
        columns={[
          { head: 'Selector', cell: ({ selector }) => <Code>{selector}</Code> },
          { head: 'Type', cell: ({ algorithm }) => (algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519') },
          {
            head: 'State',
            cell: ({ active }) => (
              <Badge variant="light" color={active ? 'road' : 'gray'} tt="none">
                {active ? 'Signs mail' : 'Not in use'}
              </Badge>
            ),
          },
          mayManage && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (key) => (
              <RowMenu
                label={`Actions for key ${key.selector}`}
                items={[
                  {
                    label: key.active ? 'Deactivate' : 'Activate',
                    onClick: () => change(key, { active: !key.active }),
                  },
                  { label: 'Rename...', onClick: () => setRenaming(key) },
                  {
                    label: key.active ? 'Remove (deactivate it first)' : 'Remove',
                    destructive: true,
                    disabled: key.active,
                    onClick: () =>
                      void attempt({ run: () => removeDkimKey(company, domain.id, key.selector) }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {domain.dkim.some(({ active }) => !active) && (
        <Text size="sm" c="dimmed">
          To see whether DNS has the record of each key, open the{' '}
          <AnchorLink
            to="/c/$company/domains/$domain"
            params={{ company, domain: domain.id }}
            inherit
            underline="always"
          >
            records
          </AnchorLink>
          .
        </Text>
      )}
      <AddDkimKey company={company} domain={domain} opened={adding} close={() => setAdding(false)} />
      <RenameDialog
        title="Rename the selector"
        label="Selector"
        about="Mail is signed with the new selector at once. Publish its record first."
        from={renaming?.selector ?? null}
        rename={(selector) => changeDkimKey(company, domain.id, renaming!.selector, { selector })}
        close={() => setRenaming(null)}
      />
    </Stack>
  )
}
