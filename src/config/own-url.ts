/** The URL of the HTTP endpoints by the settings, without a slash at its end. */
import { hostPort } from '../network/host-port.ts'
import type { Settings } from './settings.ts'

export function ownUrl({ publicUrl, listen, tls }: Pick<Settings, 'publicUrl' | 'listen' | 'tls'>): string {
  const { host, port } = listen
  return publicUrl ?? `${tls === null ? 'http' : 'https'}://${hostPort(host, port)}`
}
