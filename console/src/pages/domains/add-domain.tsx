import { Checkbox, List, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { addDomain } from '../../api/domains.ts'
import { EXACT } from '../../parts/form.tsx'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'

export function AddDomain({ company, opened, close }: DialogProps) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Add a domain"
      size="lg"
      opened={opened}
      close={close}
      initial={{ name: '', ed25519: false }}
      submit={({ name, ed25519 }) => addDomain(company, { name: domainIn(name), ed25519 })}
      onDone={({ id }) => navigate({ to: '/c/$company/domains/$domain', params: { company, domain: id } })}
      errorAt="name"
      valid={({ name }) => name.trim() !== ''}
      submitLabel="Add domain"
    >
      {({ field, values, set }) => (
        <>
          <TextInput
            label="Domain"
            description="The part after the @ of your sender address, such as example.com or mail.example.com."
            placeholder="example.com"
            {...EXACT}
            data-autofocus
            required
            {...field('name')}
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
            description="For servers that support RFC 8463. The second key needs one more record, and most senders do without this key."
            checked={values.ed25519}
            onChange={(event) => set({ ed25519: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
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
