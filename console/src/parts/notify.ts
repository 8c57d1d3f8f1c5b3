import { type NotificationData, notifications } from '@mantine/notifications'
import { overlaysReady } from './overlays-ready.ts'

/** Shows a notification, and announces it. */
export async function notify(notification: NotificationData): Promise<void> {
  await overlaysReady()
  notifications.show(notification)
}
