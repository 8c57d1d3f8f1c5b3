/**
 * The DKIM keys of a domain. To replace a key, publish and activate the new one before deactivating the old
 * one.
 */
import { Alert, Badge, Button, Code, Group, Menu, Modal, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { EllipsisVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { changeDkimKey, removeDkimKey, type WholeDomain } from '../../api/domains.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { useMayManage } from '../../shell/company.ts'
import { AddDkimKey } from './add-dkim-key.tsx'

type DomainDkimKey = WholeDomain['dkim'][number]

export function DkimKeys({ company, domain }: { company: string; domain: WholeDomain }) {
  const mayManage = useMayManage()
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<DomainDkimKey | null>(null)
  const changing = useMutation({
    mutationFn: (work: () => Promise<WholeDomain>) => work(),
  })
  const change = (work: () => Promise<WholeDomain>) => changing.mutate(work)
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
      {changing.error && (
        <Alert color="red" variant="light" role="alert" title="This did not work">
          {changing.error.message}
        </Alert>
      )}
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
              <KeyMenu
                dkimKey={key}
                rename={() => setRenaming(key)}
                toggle={() =>
                  change(() => changeDkimKey(company, domain.id, key.selector, { active: !key.active }))
                }
                remove={() => change(() => removeDkimKey(company, domain.id, key.selector))}
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
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add a DKIM key" size="lg">
        <AddDkimKey company={company} domain={domain} close={() => setAdding(false)} />
      </Modal>
      <Modal opened={renaming !== null} onClose={() => setRenaming(null)} title="Rename the selector">
        {renaming && (
          <Rename
            from={renaming.selector}
            rename={(selector) => changeDkimKey(company, domain.id, renaming.selector, { selector })}
            close={() => setRenaming(null)}
          />
        )}
      </Modal>
    </Stack>
  )
}

function KeyMenu({
  dkimKey: { selector, active },
  toggle,
  rename,
  remove,
}: {
  dkimKey: DomainDkimKey
  toggle: () => void
  rename: () => void
  remove: () => void
}) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" aria-label={`Actions for key ${selector}`}>
          <EllipsisVertical size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={toggle}>{active ? 'Deactivate' : 'Activate'}</Menu.Item>
        <Menu.Item onClick={rename}>Rename...</Menu.Item>
        <Menu.Item color="red" onClick={remove} disabled={active}>
          {active ? 'Remove (deactivate it first)' : 'Remove'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Rename({
  from,
  rename,
  close,
}: {
  from: string
  rename: (selector: string) => Promise<unknown>
  close: () => void
}) {
  const [selector, setSelector] = useState(from)
  const renaming = useMutation({ mutationFn: () => rename(selector.trim()), onSuccess: close })
  return (
    <DialogForm submitLabel="Rename" mutation={renaming} close={close} errorAtField>
      <TextInput
        label="Selector"
        description="Mail is signed with the new selector at once. Publish its record first."
        value={selector}
        onChange={(event) => setSelector(event.currentTarget.value)}
        error={renaming.error?.message}
        data-autofocus
      />
    </DialogForm>
  )
}
