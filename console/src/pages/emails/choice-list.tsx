/** The content of a filter by a named thing, loaded separately because the first view does without it. */
import { Combobox, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type ChoiceMenuProps, useChoices } from './choices.ts'

/** Milliseconds after the last key until the search starts. */
const TYPED_MS = 200

export function ChoiceList({ company, kind, label, about, free = false, value, onChange }: ChoiceMenuProps) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPED_MS)
  const combobox = useCombobox({ opened: true })
  const { choices, pending } = useChoices(company, kind, search)
  const own = typed.trim()
  const isOwn = free && own !== '' && !choices.some((choice) => choice.value === own)
  return (
    <Combobox store={combobox} onOptionSubmit={onChange}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value)
            combobox.resetSelectedOption()
          }}
          aria-label={label}
          aria-autocomplete="list"
          placeholder={about}
          spellCheck={false}
          autoCapitalize="none"
          data-autofocus
          rightSection={pending ? <Loader size={14} /> : null}
          onKeyDown={({ key }) => {
            if (key !== 'Enter' || own === '' || combobox.getSelectedOptionIndex() >= 0) return
            const [first] = choices
            if (free) onChange(own)
            else if (first !== undefined) onChange(first.value)
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label={label} mt={4} mah={320} style={{ overflowY: 'auto' }}>
        {choices.map((choice) => (
          <Combobox.Option key={choice.value} value={choice.value} active={choice.value === value}>
            <bdi>{choice.value}</bdi>{' '}
            <Text component="span" size="xs" c="dimmed">
              {choice.about}
            </Text>
          </Combobox.Option>
        ))}
        {isOwn && (
          <Combobox.Option value={own}>
            Exactly <bdi>“{own}”</bdi>
          </Combobox.Option>
        )}
      </Combobox.Options>
      {choices.length === 0 && !pending && !isOwn && (
        <Text size="sm" c="dimmed" p={6} role="status">
          {own === '' ? 'None yet' : 'No matches'}
        </Text>
      )}
    </Combobox>
  )
}
