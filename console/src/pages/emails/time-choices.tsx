/** The content of the time menu, loaded separately because the first view does without it. */
import { Button, Divider, Group, Stack, TextInput } from '@mantine/core'
import { Form, SubmitButton, useForm } from '../../parts/form.tsx'
import { ANY_TIME, type ChangeTimes, PERIODS, type Times } from './search.ts'

export function TimeChoices({
  search,
  isAny,
  choose,
}: {
  search: Times
  isAny: boolean
  choose: ChangeTimes
}) {
  return (
    <Stack gap={4}>
      <Period label="Any time" chosen={isAny} onChoose={() => choose(ANY_TIME)} />
      {Object.entries(PERIODS).map(([name, { label }]) => (
        <Period
          key={name}
          label={label}
          chosen={search.time === name}
          onChoose={() => choose({ ...ANY_TIME, time: name })}
        />
      ))}
      <Divider my={4} />
      <ExactTimes search={search} choose={choose} />
    </Stack>
  )
}

function Period({ label, chosen, onChoose }: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <Button
      variant={chosen ? 'light' : 'subtle'}
      color={chosen ? 'road' : 'gray'}
      size="xs"
      justify="flex-start"
      aria-pressed={chosen}
      onClick={onChoose}
    >
      {label}
    </Button>
  )
}

function ExactTimes({ search, choose }: { search: Times; choose: ChangeTimes }) {
  const form = useForm({
    initial: { since: fieldOf(search.since), until: fieldOf(search.until) },
    submit: async ({ since, until }) =>
      choose({ time: undefined, since: momentOf(since), until: momentOf(until) }),
  })
  return (
    <Form
      of={form}
      gap={4}
      actions={
        <Group mt={4}>
          <SubmitButton size="xs">Apply</SubmitButton>
        </Group>
      }
    >
      <TextInput type="datetime-local" label="From" size="xs" {...form.field('since')} />
      <TextInput type="datetime-local" label="Until" size="xs" {...form.field('until')} />
    </Form>
  )
}

/** The value of a `datetime-local` field: in the viewer's time zone, without an offset. */
function fieldOf(text: string | undefined): string {
  const at = Date.parse(text ?? '')
  if (Number.isNaN(at)) return ''
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The address holds the time with its zone, so that a link means the same to everybody. */
function momentOf(text: string): string | undefined {
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
