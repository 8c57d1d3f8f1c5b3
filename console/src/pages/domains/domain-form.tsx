/** The form that adds a domain: in a dialog of the list of domains, and among the first steps. */
import type { TextInputProps } from '@mantine/core'
import { addDomain, type WholeDomain } from '../../api/domains.ts'
import { ExactInput } from '../../parts/exact-input.tsx'
import type { FormSpec } from '../../parts/form.tsx'

interface DomainFormValues {
  name: string
  ed25519: boolean
}

export function newDomainForm(company: string): FormSpec<DomainFormValues, WholeDomain> {
  return {
    initial: { name: '', ed25519: false },
    submit: ({ name, ed25519 }) => addDomain(company, { name: domainIn(name), ed25519 }),
    errorAt: 'name',
    valid: ({ name }) => domainIn(name) !== '',
  }
}

/** Extracts the domain from an address or a URL, since people paste these. No mail comes from the `www` of a website. */
function domainIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z]+:\/\/(www\.)?/i, '')
    .replace(/^[^/?#]*@/, '')
    .replace(/[/:?#].*$/, '')
}

export function DomainNameInput(input: TextInputProps) {
  const text = String(input.value ?? '').trim()
  const domain = domainIn(text)
  return (
    <ExactInput
      label="Domain"
      description={
        domain === '' || domain === text
          ? 'The part after the @ of your sender address, such as example.com or mail.example.com.'
          : `The domain will be ${domain}.`
      }
      placeholder="example.com"
      {...input}
    />
  )
}
