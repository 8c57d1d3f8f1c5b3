/** The text is not a value of the setting. The message continues `... is not allowed: `. */
export class SettingValueError extends Error {
  override name = 'SettingValueError'
}

/** Its message names all allowed values, or the form that they have. */
export class SettingFormError extends SettingValueError {
  override name = 'SettingFormError'
}
