/** Durations, sizes and numbers. Each parser throws SettingValueError when the text is not one of its values. */
import { listItems } from './list.ts'
import { SettingFormError, SettingValueError } from './value-error.ts'

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const SIZE_UNITS: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** `90s`, `1.5h`, `30d` in milliseconds. A bare number is refused: nobody remembers its unit. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text) ?? []
  if (!amount || !unit)
    throw new SettingValueError(`"${text}" needs a number and a unit, like 500ms, 30s, 5m, 2h or 30d`)
  return Math.round(Number(amount) * DURATION_UNITS[unit]!)
}

export function durationWithin(least: string, most: string): (text: string) => number {
  return within(parseDuration, least, most)
}

/** Null: off. */
export function durationOrOff(least: string, most: string): (text: string) => number | null {
  const parse = durationWithin(least, most)
  return (text) => (text.toLowerCase() === 'off' ? null : parse(text))
}

/** `40MB` in octets; a KB is 1,024 octets. */
export function sizeWithin(least: string, most: string): (text: string) => number {
  return within(parseSize, least, most)
}

function within(parse: (text: string) => number, least: string, most: string): (text: string) => number {
  return (text) => {
    const value = parse(text)
    if (value < parse(least)) throw new SettingValueError(`it must be at least ${least}`)
    if (value > parse(most)) throw new SettingValueError(`it must be at most ${most}`)
    return value
  }
}

/** `2m,5m,1h`: each between one second and thirty days, at most 100 of them. */
export function parseDurations(text: string): number[] {
  const durations = listItems(text).map(durationWithin('1s', '30d'))
  if (durations.length > 100) throw new SettingValueError('it holds more than 100 waits')
  return durations
}

/** `3 in 14d`; null: off. */
export function parseFullMailbox(text: string): { refusals: number; withinMs: number } | null {
  if (text === 'off') return null
  const [, refusals, within] = /^(\S+)\s+in\s+(\S+)$/.exec(text) ?? []
  if (refusals === undefined || within === undefined) {
    throw new SettingValueError(`"${text}" is not a number and a duration, like "3 in 14d"`)
  }
  return { refusals: integerWithin(1, 100)(refusals), withinMs: durationWithin('1h', '90d')(within) }
}

export function parseSize(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?B)$/i.exec(text) ?? []
  if (!amount || !unit)
    throw new SettingValueError(`"${text}" needs a number and a unit, like 512KB, 40MB or 1GB`)
  return Math.round(Number(amount) * SIZE_UNITS[unit.toUpperCase()]!)
}

export function integerWithin(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new SettingFormError(`it must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

/** `50,100,500` */
export function parseCounts(text: string): number[] {
  return listItems(text).map((item) => {
    if (/^[1-9]\d{0,8}$/.test(item)) return Number(item)
    throw new SettingValueError(`"${item}" is not a whole number of at least 1`)
  })
}
