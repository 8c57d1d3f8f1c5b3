import { Select, TextInput } from '@mantine/core'
import { addAllowed, addSuppression, type SuppressionType } from '../../api/suppressions.ts'
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
      initial={{ address: '', type: 'manual' as SuppressionType, reason: '' }}
      submit={({ address, type, reason }) => {
        const value = address.trim()
        const why = reason.trim() === '' ? {} : { reason: reason.trim() }
        return isAllowed
          ? addAllowed(company, { value, ...why })
          : addSuppression(company, { address: value, type, ...why })
      }}
      errorAt="address"
      valid={({ address }) => address.trim() !== ''}
      submitLabel={isAllowed ? 'Allow' : 'Suppress'}
    >
      {({ field, values: { type } }) => (
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
          <TextInput label="Reason" maxLength={1_000} {...field('reason')} />
        </>
      )}
    </FormDialog>
  )
}
