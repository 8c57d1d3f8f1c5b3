import { Select, TextInput } from '@mantine/core'
import { addAllowed, addSuppression, type SuppressionType } from '../../api/suppressions.ts'
import type { NamedDomain } from '../../parts/domain-search.ts'
import { DomainSelect } from '../../parts/domain-select.tsx'
import { EXACT } from '../../parts/form.tsx'
import { type DialogProps, FormDialog } from '../../parts/form-dialog.tsx'
import { type ListName, TYPE_CHOICES, TYPES } from './types.ts'

export function AddDialog({ company, list, opened, close }: DialogProps & { list: ListName }) {
  const isAllowed = list === 'allowed'
  return (
    <FormDialog
      title={isAllowed ? 'Allow an address or domain' : 'Suppress an address'}
      opened={opened}
      close={close}
      initial={{
        address: '',
        type: 'manual' as SuppressionType,
        domain: null as NamedDomain | null,
        reason: '',
      }}
      submit={({ address, type, domain, reason }) => {
        const value = address.trim()
        const why = reason.trim() === '' ? {} : { reason: reason.trim() }
        return isAllowed
          ? addAllowed(company, { value, ...why })
          : addSuppression(company, { address: value, type, ...(domain && { domain: domain.id }), ...why })
      }}
      errorAt="address"
      valid={({ address }) => address.trim() !== ''}
      submitLabel={isAllowed ? 'Allow' : 'Suppress'}
    >
      {({ field, values: { type, domain } }) => (
        <>
          <TextInput
            label={isAllowed ? 'Address or domain' : 'Address'}
            description={
              isAllowed
                ? 'Bounces no longer suppress it. Complaints still do.'
                : 'The company sends no more mail to this address. Mail waiting for it is not sent.'
            }
            {...EXACT}
            data-autofocus
            required
            {...field('address')}
          />
          {!isAllowed && (
            <Select
              label="Type"
              description={TYPES[type].about}
              data={TYPE_CHOICES}
              allowDeselect={false}
              {...field('type')}
            />
          )}
          {!isAllowed && (
            <DomainSelect
              company={company}
              label="Stops mail from"
              description={
                domain !== null && (type === 'bounce' || type === 'complaint')
                  ? 'A bounce or a complaint stops mail from all domains of the company.'
                  : undefined
              }
              placeholder="All domains"
              clearable
              {...field('domain')}
            />
          )}
          <TextInput label="Reason" maxLength={1_000} {...field('reason')} />
        </>
      )}
    </FormDialog>
  )
}
