import { SettingFormError } from './value-error.ts'

/** The items between commas, without the space around them. */
export function listItems(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes(''))
    throw new SettingFormError('it must be a list separated by commas, without empty items')
  return items
}
