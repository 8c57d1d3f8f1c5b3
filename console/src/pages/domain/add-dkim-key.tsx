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
      submitLabel="Add the key"
      mutation={adding}
      close={close}
      valid={selector.trim() !== ''}
      errorAtField
    >
      <TextInput
        label="Selector"
        description={`The record stands at ${selector || '...'}._domainkey.${domain.name}`}
        value={selector}
        onChange={(event) => setSelector(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        required
      />
      <Textarea
        label="A private key that you have already"
        description="In PEM: RSA of 2048 bits or more, or Ed25519. Empty: a new RSA key is made."
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

/** With the date, as the first one, and a letter where there is one of today. */
function freeSelector({ dkim }: WholeDomain): string {
  const today = `pr${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
  const taken = new Set(dkim.map(({ selector }) => selector))
  return ['', 'b', 'c', 'd', 'f'].map((letter) => today + letter).find((each) => !taken.has(each)) ?? ''
}
