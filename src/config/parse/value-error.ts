/** The text is not a value of the setting. The message continues `... is not allowed: `. */
export class SettingValueError extends Error {
  override name = 'SettingValueError'
}

/** An error whose message names all allowed values, or their form. */
export class SettingFormError extends SettingValueError {
  override name = 'SettingFormError'
}
