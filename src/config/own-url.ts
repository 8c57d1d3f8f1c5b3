/** The URL of the HTTP endpoints by the settings, without a slash at its end. */
import type { Settings } from './settings.ts'

export function ownUrl({ publicUrl, listen, tls }: Pick<Settings, 'publicUrl' | 'listen' | 'tls'>): string {
  const { host, port } = listen
  const name = host.includes(':') ? `[${host}]` : host
  return publicUrl ?? `${tls === null ? 'http' : 'https'}://${name}:${port}`
}
