import { Modal, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { addAllowed, addSuppression, type SuppressionType } from '../../api/suppressions.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { TYPE_CHOICES, TYPES } from './types.ts'

export function AddDialog({
  company,
  list,
  opened,
  close,
}: {
  company: string
  list: 'suppressions' | 'allowed'
  opened: boolean
  close: () => void
}) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={list === 'allowed' ? 'Allow an address or domain' : 'Suppress an address'}
    >
      <Form company={company} list={list} close={close} />
    </Modal>
  )
}

function Form({
  company,
  list,
  close,
}: {
  company: string
  list: 'suppressions' | 'allowed'
  close: () => void
}) {
  const [value, setValue] = useState('')
  const [type, setType] = useState<SuppressionType>('manual')
  const [reason, setReason] = useState('')
  const isAllowed = list === 'allowed'
  const adding = useMutation({
    mutationFn() {
      const why = reason.trim() === '' ? {} : { reason: reason.trim() }
      return isAllowed
        ? addAllowed(company, { value: value.trim(), ...why })
        : addSuppression(company, { address: value.trim(), type, ...why })
    },
    onSuccess: close,
  })
  return (
    <DialogForm
      submitLabel={isAllowed ? 'Allow' : 'Suppress'}
      mutation={adding}
      close={close}
      valid={value.trim() !== ''}
      errorAtField
    >
      <TextInput
        label={isAllowed ? 'Address or domain' : 'Address'}
        description={
          isAllowed
            ? 'Bounces no longer suppress it. Complaints still do.'
            : 'The company sends no more mail to this address. Mail waiting for it is not sent.'
        }
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        error={adding.error?.message}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        required
      />
      {!isAllowed && (
        <Select
          label="Type"
          description={TYPES[type].about}
          data={TYPE_CHOICES}
          value={type}
          onChange={(chosen) => setType((chosen ?? type) as SuppressionType)}
          allowDeselect={false}
        />
      )}
      <TextInput
        label="Reason"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={1_000}
      />
    </DialogForm>
  )
}
