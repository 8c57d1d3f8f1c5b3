import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import '@mantine/notifications/styles.css'
import { announceOverlays } from './parts/overlays-ready.ts'

/** Notifications and confirmation dialogs, which lie above every page. Both are opened by events. */
export function Overlays() {
  useEffect(announceOverlays, [])
  return (
    <>
      <Notifications position="bottom-right" />
      <ModalsProvider>{null}</ModalsProvider>
    </>
  )
}
