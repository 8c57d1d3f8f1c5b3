/** The declaration of a setting. The sections declare them (`sections/`). */
export type Section = 'Service' | 'Delivery' | 'Limits' | 'Storage and secrets' | 'Nodes' | 'Running'

export interface Setting<T> {
  section: Section
  /** The field of Settings; null: load.ts combines the setting with others into one field. */
  field: string | null
  /** Turns text into the value; throws SettingValueError. */
  parse: (text: string) => T
  /** Text for `parse` when nothing is set; null: the value is then null. */
  default: string | null | (() => string)
  /** Shown in place of the default on the reference page, when the default depends on the machine or has no text. */
  defaultShown?: string
  allowed: string
  description: string
  example: string
  /** The part that must never be shown: the whole value, the password in a URL, or those in a list of proxies. */
  secret?: 'all' | 'url' | 'proxies'
}

/** Declares a setting. The type parameters keep the types of its parsed value, its default and its field. */
export function setting<T, D extends Setting<T>['default'], const F extends string | null>(
  definition: Setting<T> & { default: D; field: F },
): Setting<T> & { default: D; field: F } {
  return definition
}
