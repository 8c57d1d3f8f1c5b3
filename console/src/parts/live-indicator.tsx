import { Group, Text, Tooltip } from '@mantine/core'
import { type LiveState, useLive, useLiveState } from '../api/live.ts'
import classes from './live-indicator.module.css'

const LOOKS: Record<LiveState, { word: string; about: string }> = {
  live: { word: 'Live', about: 'What changes is shown as it does.' },
  connecting: { word: 'Connecting', about: 'What has changed meanwhile is shown in a moment.' },
  interrupted: {
    word: 'Reconnecting',
    about: 'Postroad does not answer. What is shown may be old; nothing is missed when it answers again.',
  },
}

/** Whether what is shown is what is. It keeps the stream of the page open. */
export function LiveIndicator({ company }: { company: string }) {
  useLive(company)
  const state = useLiveState()
  const { word, about } = LOOKS[state]
  return (
    <Tooltip label={about} events={{ hover: true, focus: true, touch: true }} multiline maw={280}>
      <Group gap={6} wrap="nowrap" role="status" className={classes.indicator} data-state={state}>
        <span className={classes.dot} aria-hidden />
        <Text component="span" size="xs" c="dimmed">
          {word}
        </Text>
      </Group>
    </Tooltip>
  )
}
