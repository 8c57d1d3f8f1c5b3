import { Checkbox, Radio, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type DialectName, wordsQuery } from '../../api/webhooks.ts'
import { aboutTypes } from './event-words.ts'

interface EventsChoice {
  /** Event names of the dialect. */
  events: string[]
  /** Only these events are sent; otherwise all events are. */
  some: boolean
}

export function EventChoice({
  dialect,
  events,
  some,
  onChange,
}: EventsChoice & { dialect: DialectName; onChange: (change: Partial<EventsChoice>) => void }) {
  const { data } = useQuery(wordsQuery)
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Events"
        value={some ? 'some' : 'all'}
        onChange={(chosen) => onChange({ some: chosen === 'some' })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="all" label="All events, including future ones" />
          <Radio value="some" label="Selected events" />
        </Stack>
      </Radio.Group>
      {some && !data && <Skeleton h={120} />}
      {some && data && (
        <Checkbox.Group value={events} onChange={(events) => onChange({ events })} aria-label="Event types">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={4}>
            {data[dialect].map(({ word, types }) => (
              <Checkbox key={word} value={word} label={word} description={aboutTypes(types)} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
