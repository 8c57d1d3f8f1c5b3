import { Checkbox, List, Modal, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addDomain } from '../../api/domains.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'

export function AddDomain({
  company,
  opened,
  close,
}: {
  company: string
  opened: boolean
  close: () => void
}) {
  return (
    <Modal opened={opened} onClose={close} title="Add a domain" size="lg">
      <Form company={company} close={close} />
    </Modal>
  )
}

function Form({ company, close }: { company: string; close: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [ed25519, setEd25519] = useState(false)
  const adding = useMutation({
    mutationFn: () => addDomain(company, { name: domainIn(name), ed25519 }),
    onSuccess: ({ id }) => navigate({ to: '/c/$company/domains/$domain', params: { company, domain: id } }),
  })
  return (
    <DialogForm
      submitLabel="Add domain"
      mutation={adding}
      close={close}
      valid={name.trim() !== ''}
      errorAtField
    >
      <TextInput
        label="Domain"
        description="The part after the @ of your sender address, such as example.com or mail.example.com."
        placeholder="example.com"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={adding.error?.message}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        required
      />
      <Text size="sm" component="div">
        What happens next:
        <List type="ordered" size="sm">
          <List.Item>Postroad shows a few DNS records to publish at your DNS provider.</List.Item>
          <List.Item>Postroad looks them up in DNS and shows what it finds.</List.Item>
          <List.Item>Once the records are right, you can send mail from the domain.</List.Item>
        </List>
      </Text>
      <Checkbox
        label="Add a second DKIM key (Ed25519)"
        description="For servers that support RFC 8463. It needs one more record, and most senders do without it."
        checked={ed25519}
        onChange={(event) => setEd25519(event.currentTarget.checked)}
      />
    </DialogForm>
  )
}

/** Extracts the domain from an address or a URL, since people paste these. */
function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^.*@/, '')
    .replace(/[/:?#].*$/, '')
}
