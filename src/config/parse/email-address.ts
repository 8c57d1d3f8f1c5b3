import { listItems } from './list.ts'
import { SettingValueError } from './value-error.ts'

/** A plain address; whether its domain may send is known only to the service. */
export function parseAddress(text: string): string {
  if (/^[^\s@<>,]+@[^\s@<>,]+$/.test(text)) return text
  throw new SettingValueError(`"${text}" is not an email address`)
}

export function parseAddresses(text: string): string[] {
  return listItems(text).map(parseAddress)
}
