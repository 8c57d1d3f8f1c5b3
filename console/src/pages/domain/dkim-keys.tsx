/** The DKIM keys of a domain: their use, what DNS has of them, and their rotation. */
import { Alert, Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Plus, RotateCw, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import {
  changeDkimKey,
  type DomainDkimKey,
  delegateDkim,
  removeDkimKey,
  rotateDkimKey,
  type WholeDomain,
} from '../../api/domains.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { attempt, attemptUnlessHarmful, confirm } from '../../parts/confirm.tsx'
import { RenameDialog } from '../../parts/form-dialog.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { Time } from '../../parts/time.tsx'
import { useMayManage } from '../../shell/company.ts'
import { AddDkimKey } from './add-dkim-key.tsx'
import { Verdict } from './record-card.tsx'
import { Rotation } from './rotation.tsx'
import { type RecordChecks, useRecordChecks } from './use-record-checks.ts'

export function DkimKeys({ company, domain }: { company: string; domain: WholeDomain }) {
  const mayManage = useMayManage()
  const checks = useRecordChecks(company, domain, mayManage)
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<DomainDkimKey | null>(null)
  const waiting = domain.dkim.filter(({ stage }) => stage === 'next')
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            DKIM keys
          </Title>
          <Text size="sm" c="dimmed" maw={640}>
            {domain.delegation.used
              ? 'Mail is signed with every active key. The operator of this service publishes the keys, and your CNAME records lead to them: two keys take turns, and you have nothing to publish.'
              : 'Mail is signed with every active key. “Rotate” makes the next key and shows its record. Once DNS has the record, the next key signs in place of the present one.'}
          </Text>
        </div>
        {mayManage && (
          <Group gap="xs">
            {domain.sending !== 'inactive' && waiting.length === 0 && (
              <ActionButton
                variant="filled"
                leftSection={<RotateCw size={16} aria-hidden />}
                run={() => rotateDkimKey(company, domain.id)}
              >
                Rotate
              </ActionButton>
            )}
            {waiting.length === 0 && domain.delegation.offered && (
              <ActionButton
                run={() => delegateDkim(company, domain.id, !domain.delegation.used)}
                done="Publish the DKIM records that are shown under “Records”."
              >
                {domain.delegation.used ? 'Publish keys yourself' : 'Move to CNAME records'}
              </ActionButton>
            )}
            <Button
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              Add a key
            </Button>
          </Group>
        )}
      </Group>
      <LackingKeys domain={domain} checks={checks} />
      {waiting.length > 0 && <Rotation company={company} domain={domain} checks={checks} waiting={waiting} />}
      <ListTable
        rows={domain.dkim}
        keyOf={({ selector }) => selector}
        label="DKIM keys"
        columns={[
          { head: 'Selector', cell: ({ selector }) => <Code>{selector}</Code> },
          { head: 'Type', cell: ({ algorithm }) => (algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519') },
          { head: 'State', cell: (key) => <KeyState of={key} /> },
          { head: 'Record in DNS', cell: (key) => <Verdict {...lookupOf(domain, checks, key)} /> },
          mayManage && {
            head: 'Actions',
            headHidden: true,
            right: true,
            cell: (key) =>
              key.stage !== 'next' && (
                <KeyMenu company={company} domain={domain} of={key} rename={() => setRenaming(key)} />
              ),
          },
        ]}
      />
      {domain.dkim.some(({ stage }) => stage === 'retiring') && (
        <Text size="sm" c="dimmed" maw={640}>
          A retiring key signs no more mail. Its record stays in DNS for seven days, because receivers verify
          mail when it arrives, and mail that a server delays may arrive days later.
        </Text>
      )}
      <AddDkimKey company={company} domain={domain} opened={adding} close={() => setAdding(false)} />
      <RenameDialog
        title="Rename the selector"
        label="Selector"
        about="A key that signs mail uses the new selector at once. Publish its record first."
        from={renaming?.selector ?? null}
        rename={(selector) =>
          changeDkimKey(company, domain.id, renaming!.selector, { selector, force: false })
        }
        close={() => setRenaming(null)}
      />
    </Stack>
  )
}

function lookupOf({ records }: WholeDomain, { lookups }: RecordChecks, key: DomainDkimKey) {
  return lookups[records.findIndex(({ name }) => name === key.record)]!
}

const STATES = {
  next: { word: 'Waits for DNS', color: 'blue' },
  retiring: { word: 'Retiring', color: 'gray' },
  retired: { word: 'Retired', color: 'gray' },
} as const

function KeyState({ of: { active, delegated, stage, keepUntil } }: { of: DomainDkimKey }) {
  const unused = delegated ? 'In reserve' : 'Not in use'
  const { word, color } =
    stage === null ? { word: active ? 'Signs mail' : unused, color: active ? 'road' : 'gray' } : STATES[stage]
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={color} size="lg">
        {word}
      </Badge>
      {stage === 'retiring' && (
        <Text size="xs">
          Retires <Time at={keepUntil} />.{delegated ? '' : ' Keep its record until then.'}
        </Text>
      )}
      {stage === 'retired' && <Text size="xs">Its record may be removed from DNS</Text>}
    </Stack>
  )
}

/** Keys that are in use, and that DNS lacks. A key signs nothing before the domain sends. */
function LackingKeys({ domain, checks }: { domain: WholeDomain; checks: RecordChecks }) {
  const stateOf = (key: DomainDkimKey) => lookupOf(domain, checks, key).check?.state
  const isLacking = (key: DomainDkimKey) => stateOf(key) === 'missing' || stateOf(key) === 'different'
  const signing = domain.dkim.filter(({ active }) => active && domain.sending === 'active')
  const lacking = signing.filter(isLacking)
  const gone = domain.dkim.filter((key) => key.stage === 'retiring' && isLacking(key))
  if (lacking.length + gone.length === 0) return null
  const verified = signing.some((key) => stateOf(key) === 'right')
  return (
    <Alert
      color={lacking.length > 0 && !verified ? 'red' : 'orange'}
      variant="light"
      icon={<TriangleAlert aria-hidden />}
      title={lacking.length > 0 ? 'DNS lacks a key that signs mail' : 'DNS lacks the key of mail under way'}
    >
      {lacking.length > 0 && (
        <Text size="sm">
          Receivers cannot verify the signatures of {selectorsOf(lacking)}.{' '}
          {verified
            ? 'The signatures of the other keys still count.'
            : `Mail from ${domain.name} fails DKIM, and servers may refuse it or put it into spam.`}{' '}
          Publish the record, or rotate the key.
        </Text>
      )}
      {gone.length > 0 && (
        <Text size="sm">
          Receivers cannot verify mail that {selectorsOf(gone)} signed and that is still under way. Publish
          the record again until the key is retired.
        </Text>
      )}
    </Alert>
  )
}

function selectorsOf(keys: readonly DomainDkimKey[]): string {
  return keys.map(({ selector }) => selector).join(' and ')
}

function KeyMenu({
  company,
  domain,
  of: { selector, active, delegated, stage },
  rename,
}: {
  company: string
  domain: WholeDomain
  of: DomainDkimKey
  rename: () => void
}) {
  const change = () =>
    attemptUnlessHarmful({
      run: (force) => changeDkimKey(company, domain.id, selector, { active: !active, force }),
      title: active ? `Stop signing with ${selector}?` : `Sign mail with ${selector}?`,
      act: active ? 'Deactivate anyway' : 'Activate anyway',
      cancel: active ? 'Keep it active' : 'Keep it inactive',
    })
  const run = () => removeDkimKey(company, domain.id, selector)
  const remove = () =>
    stage === 'retiring'
      ? confirm({
          run,
          title: `Remove ${selector} before it is retired?`,
          about:
            'Receivers still verify mail under way with its record. If you remove the record from DNS too, that mail fails DKIM.',
          act: 'Remove key',
          cancel: 'Keep key',
        })
      : attempt({ run })
  return (
    <RowMenu
      label={`Actions for key ${selector}`}
      items={[
        { label: active ? 'Deactivate' : 'Activate', onClick: () => void change() },
        ...(delegated ? [] : [{ label: 'Rename...', onClick: rename }]),
        {
          label: active ? 'Remove (deactivate it first)' : 'Remove',
          destructive: true,
          disabled: active,
          onClick: () => void remove(),
        },
      ]}
    />
  )
}
