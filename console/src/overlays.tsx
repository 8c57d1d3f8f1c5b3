import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'

/** What lies over every page: short messages, and questions before something is done. Both are asked for by events. */
export function Overlays() {
  return (
    <>
      <Notifications position="bottom-right" />
      <ModalsProvider>{null}</ModalsProvider>
    </>
  )
}
