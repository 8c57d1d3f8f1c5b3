import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import '@mantine/notifications/styles.css'
import { announceOverlays } from './parts/overlays-ready.ts'

/** What lies over every page: short messages, and questions before something is done. Both are asked for by events. */
export function Overlays() {
  useEffect(announceOverlays, [])
  return (
    <>
      <Notifications position="bottom-right" />
      <ModalsProvider>{null}</ModalsProvider>
    </>
  )
}
