import { Group, Text, Tooltip } from '@mantine/core'
import { type LiveConnectionState, useLive, useLiveState } from '../api/live.ts'
import classes from './live-indicator.module.css'

const LOOKS: Record<LiveConnectionState, { word: string; about: string }> = {
  live: { word: 'Live', about: 'Changes appear on this page as they happen.' },
  connecting: { word: 'Connecting', about: 'Recent changes appear in a moment.' },
  interrupted: {
    word: 'Reconnecting',
    about: 'This page catches up once Postroad is back.',
  },
}

/** Tells whether the page is up to date, and keeps the live stream open. */
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
