/** The one table of settings: names, values, defaults, and descriptions. The reference page is generated from it. */

import { DELIVERY_SETTINGS } from './sections/delivery.ts'
import { LIMIT_SETTINGS } from './sections/limits.ts'
import { NODE_SETTINGS } from './sections/nodes.ts'
import { RUNNING_SETTINGS } from './sections/running.ts'
import { SERVICE_SETTINGS } from './sections/service.ts'
import { STORAGE_SETTINGS } from './sections/storage.ts'
import type { Setting } from './setting.ts'

export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...LIMIT_SETTINGS,
  ...STORAGE_SETTINGS,
  ...NODE_SETTINGS,
  ...RUNNING_SETTINGS,
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/**
 * The value of each setting, as its parser returns it (durations in milliseconds, sizes in octets); null when it is not
 * set and has no default.
 */
export type SettingValues = {
  [N in SettingName]:
    | ReturnType<(typeof SETTINGS)[N]['parse']>
    | (null extends (typeof SETTINGS)[N]['default'] ? null : never)
}

/** The value of each setting, by its field. */
export type SettingFields = {
  [N in SettingName as NonNullable<(typeof SETTINGS)[N]['field']>]: SettingValues[N]
}

/** Text of the default, null when there is none. */
export function defaultOf(name: SettingName): string | null {
  const value: Setting<unknown>['default'] = SETTINGS[name].default
  return typeof value === 'function' ? value() : value
}
