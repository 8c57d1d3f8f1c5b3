import { Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { addDkimKey, type WholeDomain } from '../../api/domains.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'

export function AddDkimKey({
  company,
  domain,
  close,
}: {
  company: string
  domain: WholeDomain
  close: () => void
}) {
  const [selector, setSelector] = useState(() => freeSelector(domain))
  const [pem, setPem] = useState('')
  const adding = useMutation({
    mutationFn: () =>
      addDkimKey(company, domain.id, { selector: selector.trim(), ...(pem.trim() !== '' && { pem }) }),
    onSuccess: close,
  })
  return (
    <DialogForm
      submitLabel="Add key"
      mutation={adding}
      close={close}
      valid={selector.trim() !== ''}
      errorAtField
    >
      <TextInput
        label="Selector"
        description={`The record is published at ${selector || '...'}._domainkey.${domain.name}`}
        value={selector}
        onChange={(event) => setSelector(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        required
      />
      <Textarea
        label="Existing private key"
        description="PEM: RSA with at least 2048 bits, or Ed25519. Leave empty to create an RSA key."
        value={pem}
        onChange={(event) => setPem(event.currentTarget.value)}
        error={adding.error?.message}
        autosize
        minRows={2}
        maxRows={10}
        autoComplete="off"
        spellCheck={false}
        placeholder="-----BEGIN PRIVATE KEY-----"
      />
    </DialogForm>
  )
}

/** Names the selector after the date, as the first key's is, with a letter if today's name is taken. */
function freeSelector({ dkim }: WholeDomain): string {
  const today = `pr${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
  const taken = new Set(dkim.map(({ selector }) => selector))
  return ['', 'b', 'c', 'd', 'f'].map((letter) => today + letter).find((each) => !taken.has(each)) ?? ''
}
