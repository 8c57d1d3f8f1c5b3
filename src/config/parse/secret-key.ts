import { SettingFormError } from './value-error.ts'

/** 32 octets as 64 hexadecimal digits or in base64. */
export function parseSecretKey(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new SettingFormError(
    'it must be 32 octets, as 64 hexadecimal digits or in base64 (make one: openssl rand -hex 32)',
  )
}
