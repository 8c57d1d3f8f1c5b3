/** Where the HTTP endpoints are reached, without a slash at its end: as the settings tell it. */
import type { Settings } from './settings.ts'

export function ownUrl({ publicUrl, listen, tls }: Pick<Settings, 'publicUrl' | 'listen' | 'tls'>): string {
  const { host, port } = listen
  const name = host.includes(':') ? `[${host}]` : host
  return publicUrl ?? `${tls === null ? 'http' : 'https'}://${name}:${port}`
}
