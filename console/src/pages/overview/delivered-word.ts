import { useIsCapture } from '../../api/session.ts'

/** The word for the event `delivered`: captured mail leads to it, too. */
export function useDeliveredWord(): string {
  return useIsCapture() ? 'Captured' : 'Delivered'
}
