/** Words and names. Each parser throws SettingValueError when the text is not one of its values. */
import { SettingFormError, SettingValueError } from './value-error.ts'

export function parseBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  if (['false', '0', 'no', 'off'].includes(word)) return false
  throw new SettingFormError('it must be true or false')
}

export function oneOf<const T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.toLowerCase())
    if (found === undefined) throw new SettingFormError(`it must be one of ${words.join(', ')}`)
    return found
  }
}

/** Some of these words, separated by commas; each once, in the order of `words`. At least one. */
export function someOf<const T extends string>(words: readonly T[]): (text: string) => T[] {
  return (text) => {
    const given = text.split(',').map((word) => word.trim().toLowerCase())
    const unknown = given.find((word) => !words.some((known) => known === word))
    if (unknown !== undefined) throw new SettingFormError(`it must be one or more of ${words.join(', ')}`)
    return words.filter((word) => given.includes(word))
  }
}

/** Returns a parser of one line of text without control characters, up to `length` characters. */
export function nameUpTo(length: number): (text: string) => string {
  return (text) => {
    const name = text.trim()
    if (name === '' || [...name].length > length)
      throw new SettingValueError(`it must have 1 to ${length} characters`)
    if (/\p{Cc}/u.test(name)) throw new SettingValueError('it must have no control characters')
    return name
  }
}

export function option<const T extends string>(name: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text.toLowerCase())
  if (found === undefined) throw new SettingValueError(`"?${name}=" must be one of ${words.join(', ')}`)
  return found
}
