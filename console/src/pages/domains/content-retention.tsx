/** How long the content of finished emails is kept: of a company, or of one of its domains. */
import { Button, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Section } from '../../parts/section.tsx'

const DAY = 86_400_000

const days = (ms: number) => {
  const count = ms / DAY
  return `${count.toLocaleString(undefined, { maximumFractionDigits: 2 })} ${count === 1 ? 'day' : 'days'}`
}

interface ContentRetentionProps {
  /** Ms; `null`: none of its own. */
  own: number | null
  /** Ms that apply otherwise. */
  usual: number
  mayChange: boolean
  set: (own: number | null) => Promise<unknown>
  mt?: 'md'
}

export function ContentRetention({ own, usual, mayChange, set, mt }: ContentRetentionProps) {
  const [opened, setOpened] = useState(false)
  const applies = Math.min(own ?? usual, usual)
  return (
    <Section
      title="Content of finished emails"
      about="Bodies and attachments are removed after this time. Recipients, events and SMTP dialogues stay."
      {...(mt !== undefined && { mt })}
      action={
        mayChange && (
          <Button variant="default" size="xs" onClick={() => setOpened(true)}>
            Change time...
          </Button>
        )
      }
    >
      <Text size="sm">{Number.isFinite(applies) && `Content is kept for ${days(applies)}.`}</Text>
      <FormDialog
        title="Content of finished emails"
        opened={opened}
        close={() => setOpened(false)}
        initial={{ kept: own === null ? ('' as string | number) : own / DAY }}
        submit={({ kept }) => set(kept === '' ? null : Math.round(Number(kept) * DAY))}
        errorAt="kept"
        submitLabel="Save"
      >
        {({ field }) => (
          <NumberInput
            label="Days"
            description={`Empty: ${days(usual)}, which is the most.`}
            min={0.001}
            max={usual / DAY}
            allowNegative={false}
            data-autofocus
            {...field('kept')}
          />
        )}
      </FormDialog>
    </Section>
  )
}
