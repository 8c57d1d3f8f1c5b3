import type { NodeBeat } from '../../store/store.ts'
import { isoTime } from './time.ts'

export function nodeJson({ token, name, roles, since, timeoutMs, beats }: NodeBeat) {
  return { token, name, roles, since: isoTime(since), timeout_ms: timeoutMs, beats }
}
