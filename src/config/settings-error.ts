/**
 * A setting is unknown, or its value is not allowed. The message names the setting, its source, its value (secrets
 * masked) and the allowed values.
 */
export class SettingsError extends Error {
  override name = 'SettingsError'
}
