import { Textarea } from '@mantine/core'
import { addDkimKey, type WholeDomain } from '../../api/domains.ts'
import { ExactInput } from '../../parts/exact-input.tsx'
import { EXACT } from '../../parts/form.tsx'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'

export function AddDkimKey({ company, domain, opened, close }: DialogProps & { domain: WholeDomain }) {
  return (
    <FormDialog
      title="Add a DKIM key"
      size="lg"
      opened={opened}
      close={close}
      initial={{ selector: freeSelector(domain), pem: '' }}
      submit={({ selector, pem }) =>
        addDkimKey(company, domain.id, { selector: selector.trim(), ...(pem.trim() !== '' && { pem }) })
      }
      errorAt="pem"
      valid={({ selector }) => selector.trim() !== ''}
      submitLabel="Add key"
    >
      {({ field, values: { selector } }) => (
        <>
          <ExactInput
            label="Selector"
            description={`The record is published at ${selector || '...'}._domainkey.${domain.name}`}
            {...field('selector')}
          />
          <Textarea
            label="Existing private key"
            description="PEM: RSA with at least 2048 bits, or Ed25519. Leave empty to create an RSA key."
            autosize
            minRows={2}
            maxRows={10}
            {...EXACT}
            placeholder="-----BEGIN PRIVATE KEY-----"
            {...field('pem')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Names the selector after the date, like that of the first key, and adds a letter if that name is taken. */
function freeSelector({ dkim }: WholeDomain): string {
  const today = `pr${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
  const taken = new Set(dkim.map(({ selector }) => selector))
  return ['', 'b', 'c', 'd', 'f'].map((letter) => today + letter).find((each) => !taken.has(each)) ?? ''
}
