import { Checkbox, List, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'
import { DomainNameInput, newDomainForm } from './domain-form.tsx'

export function AddDomain({ company, opened, close }: DialogProps) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Add a domain"
      size="lg"
      opened={opened}
      close={close}
      {...newDomainForm(company)}
      onDone={({ id }) => navigate({ to: '/c/$company/domains/$domain', params: { company, domain: id } })}
      submitLabel="Add domain"
    >
      {({ field, values, set }) => (
        <>
          <DomainNameInput {...field('name')} />
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
            description="For receivers that support RFC 8463. It needs one more DNS record, and most senders do without it."
            checked={values.ed25519}
            onChange={(event) => set({ ed25519: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}
