import { Checkbox, NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createKey, type KeyWithToken, type NewKey } from '../../api/keys.ts'
import { Dialog } from '../../parts/dialog.tsx'
import type { NamedDomain } from '../../parts/domain-search.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { DialogForm, type DialogProps } from '../../parts/form-dialog.tsx'
import { NewKeyPanel } from './new-key-panel.tsx'
import { SCOPES } from './scopes.ts'

export function CreateKey({ company, opened, close }: DialogProps) {
  const [made, setMade] = useState<KeyWithToken | null>(null)
  const end = () => {
    close()
    setMade(null)
  }
  return (
    <Dialog
      opened={opened}
      onClose={end}
      title={made === null ? 'Create an API key' : `The key “${made.key.name}”`}
      size="xl"
      // A stray click or Escape must not close the dialog, since it shows the key only once.
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
    >
      {made === null ? (
        <KeyForm company={company} close={end} onMade={setMade} />
      ) : (
        <NewKeyPanel company={company} made={made} close={end} />
      )}
    </Dialog>
  )
}

/** Days; 0 for a key that never expires. */
const LASTS = [
  { value: '0', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const DAY = 24 * 3_600_000

function KeyForm({
  company,
  close,
  onMade,
}: {
  company: string
  close: () => void
  onMade: (made: KeyWithToken) => void
}) {
  return (
    <DialogForm
      initial={{
        name: '',
        scopes: ['sending', 'reading'] as NewKey['scopes'],
        domain: null as NamedDomain | null,
        networks: [] as string[],
        lasts: '0',
      }}
      submit={({ name, scopes, domain, networks, lasts }) =>
        createKey(company, {
          name,
          scopes,
          ...(domain !== null && { domain: domain.id }),
          ...(networks.length > 0 && { networks }),
          ...(lasts !== '0' && { expiresAt: new Date(Date.now() + Number(lasts) * DAY).toISOString() }),
        })
      }
      onDone={onMade}
      valid={({ name, scopes }) => name.trim() !== '' && scopes.length > 0}
      submitLabel="Create key"
      close={close}
    >
      {({ field, values: { networks } }) => (
        <>
          <TextInput
            label="Name"
            description="What the key is for, such as the name of the application."
            placeholder="Shop"
            maxLength={200}
            data-autofocus
            required
            {...field('name')}
          />
          <Checkbox.Group label="Permissions" {...field('scopes')}>
            <Stack gap="xs" mt={4}>
              {SCOPES.map(({ scope, label, about }) => (
                <Checkbox key={scope} value={scope} label={label} description={about} />
              ))}
            </Stack>
          </Checkbox.Group>
          <DomainSelect
            company={company}
            label="Domain"
            description="Limits the key to one sending domain."
            placeholder="All domains of the company"
            clearable
            {...field('domain')}
          />
          <TagsInput
            label="Networks"
            placeholder={networks.length === 0 ? '10.0.0.0/8' : ''}
            description="Addresses and ranges that may use the key, such as 192.0.2.7 or 10.0.0.0/8. Leave empty to allow all."
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            {...field('networks')}
          />
          <NativeSelect label="Expires" data={LASTS} {...field('lasts')} />
        </>
      )}
    </DialogForm>
  )
}
