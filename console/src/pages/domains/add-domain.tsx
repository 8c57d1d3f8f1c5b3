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
        description="What stands behind the @ of your sender, such as example.com or mail.example.com."
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
          <List.Item>You are shown a few DNS records, to copy to where your domain is managed.</List.Item>
          <List.Item>This service looks for them by itself, and says what it finds.</List.Item>
          <List.Item>Once they are there, mail may be sent from the domain.</List.Item>
        </List>
      </Text>
      <Checkbox
        label="A second DKIM key, Ed25519"
        description="For receivers that know RFC 8463; one more record to publish. Most do without."
        checked={ed25519}
        onChange={(event) => setEd25519(event.currentTarget.checked)}
      />
    </DialogForm>
  )
}

/** People paste addresses and URLs: what is meant is the domain in them. */
function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^.*@/, '')
    .replace(/[/:?#].*$/, '')
}
