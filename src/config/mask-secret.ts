/** Settings for display, without their secrets. */
import { SETTINGS, type SettingName } from './schema.ts'
import type { Setting } from './setting.ts'

/** The text of a value for display: secrets are masked. */
export function maskSecret(name: SettingName, text: string): string {
  const { secret }: Setting<unknown> = SETTINGS[name]
  if (secret === 'all') return '***'
  if (secret === 'url') return maskUrl(text)
  if (secret === undefined) return text
  // After a misplaced comma, the text up to an @ may be the rest of a password.
  const items = text.split(/,(?=\s*\[?[0-9a-f.:]+\]?\s*=)/i)
  return items.map((item) => (/^[^/]*@/.test(item) ? '***' : maskUrl(item))).join(',')
}

const SECRET_PARAMETER = /([?&](?:(?:ssl)?password|oauth_client_secret|scram_(?:client|server)_key)=)[^&]*/gi

function maskUrl(text: string): string {
  if (!text.includes('//')) return text
  const [url = ''] = /\w+:\/\/.*$/s.exec(text) ?? []
  // A text that is not a URL may hold its password anywhere.
  if (!URL.canParse(url)) return text.replace(/\/\/.*$/s, '//***')
  // Masks up to the last @, because a password may contain an unescaped @.
  return text.replace(/\/\/.*@/s, '//***@').replace(SECRET_PARAMETER, '$1***')
}
