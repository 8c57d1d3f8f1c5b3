/** Gathers the settings from environment, `.env` and config file, and checks them. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { nearestName } from '../common/nearest-name.ts'
import { maskSecret } from './mask-secret.ts'
import { leastMemory } from './memory-plan.ts'
import { SettingFormError, SettingValueError } from './parse/value-error.ts'
import {
  defaultOf,
  SETTING_NAMES,
  SETTINGS,
  type SettingFields,
  type SettingName,
  type SettingValues,
} from './schema.ts'
import type { Setting } from './setting.ts'
import type { OpenIdSettings, Settings } from './settings.ts'
import { SettingsError } from './settings-error.ts'
import { checkBounceListeners, submissionOf } from './submission.ts'

export type Environment = Record<string, string | undefined>

interface SettingFiles {
  /** Default: `.env` in the working directory; a missing file is no error. null: no file. */
  envFile?: string | null
}

/** The effective value of a setting. */
interface EffectiveSetting {
  name: SettingName
  /** Secrets are masked; null when unset. */
  value: string | null
  /** `default`, `environment`, or the file it comes from. */
  source: string
}

interface SettingSource {
  label: string
  values: Record<string, string>
}

/** Checked settings. The environment wins over `.env`, `.env` over the config file. Throws SettingsError. */
export function loadSettings(env: Environment = process.env, files: SettingFiles = {}): Settings {
  const sources = gather(env, files)
  const values = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, parseSetting(name, sources)]),
  ) as unknown as SettingValues

  const { POSTROAD_TLS_CERT: certPath, POSTROAD_TLS_KEY: keyPath } = values
  if ((certPath === null) !== (keyPath === null)) {
    const [set, unset] = keyPath === null ? ['CERT', 'KEY'] : ['KEY', 'CERT']
    throw new SettingsError(
      `POSTROAD_TLS_${set} is set, but POSTROAD_TLS_${unset} is not, and HTTPS needs both: set it, or neither.`,
    )
  }
  const submission = submissionOf(values)
  checkBounceListeners(values.POSTROAD_BOUNCE_LISTEN, values)
  if (values.POSTROAD_RETENTION_EMAILS < values.POSTROAD_RETENTION_CONTENT) {
    throw new SettingsError(
      `POSTROAD_RETENTION_EMAILS (${lookUpSetting('POSTROAD_RETENTION_EMAILS', sources).text}) is less than ` +
        `POSTROAD_RETENTION_CONTENT (${lookUpSetting('POSTROAD_RETENTION_CONTENT', sources).text}): ` +
        'content cannot be kept longer than the email it belongs to.',
    )
  }
  if (values.POSTROAD_DATABASE_URL.engine === 'sqlite' && values.POSTROAD_ROLES.length < 2) {
    throw new SettingsError(
      `POSTROAD_ROLES is ${lookUpSetting('POSTROAD_ROLES', sources).text}, but only one node can use an SQLite database, so it must ` +
        'have both roles: leave it unset, or set POSTROAD_DATABASE_URL to postgres://... to share the work.',
    )
  }
  if (values.POSTROAD_ALERT_TO !== null && values.POSTROAD_SYSTEM_FROM === null) {
    throw new SettingsError(
      'POSTROAD_ALERT_TO is set, but POSTROAD_SYSTEM_FROM is not: alerts are mail of the service and need a sender, an address of a domain that sends.',
    )
  }
  checkMemory(values, sources)
  checkValidating(values)
  if (values.POSTROAD_DELIVERY.kind === 'direct' && !isFullyQualified(values.POSTROAD_HOSTNAME)) {
    const { text, label } = lookUpSetting('POSTROAD_HOSTNAME', sources)
    const whose = label === 'default' ? "the machine's name" : 'POSTROAD_HOSTNAME'
    throw new SettingsError(
      `${whose} is "${text}", which is not a fully qualified name. With POSTROAD_DELIVERY=direct, many mail servers refuse a ` +
        'server with such a name: set POSTROAD_HOSTNAME to its name in DNS, like mail.example.com.',
    )
  }
  const fields = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const { field } = SETTINGS[name]
      return field === null ? [] : [[field, values[name]]]
    }),
  ) as unknown as SettingFields
  return {
    ...fields,
    tls: certPath !== null && keyPath !== null ? { certPath, keyPath } : null,
    submission,
    openid: openIdOf(values),
    trustedProxies: values.POSTROAD_TRUSTED_PROXIES ?? [],
    dnsServers: values.POSTROAD_DNS_SERVERS ?? [],
    dnsValidating: values.POSTROAD_DNS_VALIDATING ?? [],
  }
}

function openIdOf(values: SettingValues): OpenIdSettings | null {
  const {
    POSTROAD_OIDC_ISSUER: issuer,
    POSTROAD_OIDC_CLIENT_ID: clientId,
    POSTROAD_OIDC_CLIENT_SECRET: clientSecret,
  } = values
  if (issuer === null && clientId === null && clientSecret === null) return null
  if (issuer === null || clientId === null) {
    const [unset, why] =
      issuer === null
        ? ['ISSUER', 'to find the provider']
        : ['CLIENT_ID', 'for the provider to recognize this service']
    throw new SettingsError(`POSTROAD_OIDC_${unset} is not set, but it is needed ${why}.`)
  }
  if (issuer.startsWith('http:') && !values.POSTROAD_ALLOW_PRIVATE_NETWORKS) {
    throw new SettingsError(
      `POSTROAD_OIDC_ISSUER is ${issuer}, which is not encrypted, so anyone on the network path could sign in as any person: use https://, or set ` +
        'POSTROAD_ALLOW_PRIVATE_NETWORKS=true if that network is yours.',
    )
  }
  return { issuer, clientId, clientSecret }
}

/** Refuses a validating server that is not in use: without an error, DANE would silently stay off. */
function checkValidating({
  POSTROAD_DNS_SERVERS: servers,
  POSTROAD_DNS_VALIDATING: validating,
}: SettingValues): void {
  // The servers of the system become known when the service starts.
  if (servers === null || validating === null) return
  const others = validating.filter((server) => !servers.includes(server))
  if (others.length === 0) return
  throw new SettingsError(
    `POSTROAD_DNS_VALIDATING names ${others.join(', ')}, which is not in POSTROAD_DNS_SERVERS (${servers.join(', ')}), so it would not be ` +
      'asked: name each server with the same address and port in both.',
  )
}

/** Refuses too little memory: the largest message would be refused each time, or the system would kill the process. */
function checkMemory(values: SettingValues, sources: SettingSource[]): void {
  const least = leastMemory({
    maxMessageSize: values.POSTROAD_MAX_MESSAGE_SIZE,
    deliveryThreads: values.POSTROAD_DELIVERY_THREADS,
    bounceMailbox: values.POSTROAD_BOUNCE_MAILBOX,
  })
  if (values.POSTROAD_MEMORY >= least) return
  const mailbox =
    values.POSTROAD_BOUNCE_MAILBOX === null ? '' : ', and a bounce mailbox (POSTROAD_BOUNCE_MAILBOX)'
  throw new SettingsError(
    `POSTROAD_MEMORY (${lookUpSetting('POSTROAD_MEMORY', sources).text}) is too little for one message of POSTROAD_MAX_MESSAGE_SIZE ` +
      `(${lookUpSetting('POSTROAD_MAX_MESSAGE_SIZE', sources).text}) and ${values.POSTROAD_DELIVERY_THREADS} delivery threads${mailbox}: ` +
      `set it to ${Math.ceil(least / 1024 ** 2)}MB or more, or allow smaller messages, or fewer threads (POSTROAD_DELIVERY_THREADS).`,
  )
}

/** Every setting with its masked text and its source, in the order of the table. Throws SettingsError. */
export function effectiveSettings(
  env: Environment = process.env,
  files: SettingFiles = {},
): EffectiveSetting[] {
  const sources = gather(env, files)
  return SETTING_NAMES.map((name) => {
    parseSetting(name, sources)
    const { text, label } = lookUpSetting(name, sources)
    return { name, value: text === null ? null : maskSecret(name, text), source: label }
  })
}

/** The sources, strongest first; all POSTROAD_ names in them are known. */
function gather(env: Environment, { envFile = '.env' }: SettingFiles): SettingSource[] {
  const sources: SettingSource[] = [{ label: 'environment', values: ours(env) }]
  if (envFile !== null) {
    const text = readIfThere(envFile)
    if (text !== null) sources.push({ label: envFile, values: ours(parsedEnv(text, envFile)) })
  }
  for (const source of sources) checkNames(source)
  const path = lookUpSetting('POSTROAD_CONFIG', sources).text
  if (path !== null) {
    const source = { label: path, values: readConfigFile(path) }
    checkNames(source)
    sources.push(source)
  }
  return sources
}

/** Throws SettingsError for a line that names a setting but sets nothing, because such a line is silently ignored. */
function parsedEnv(text: string, path: string): Environment {
  const values = parseEnv(text)
  for (const [index, line] of text.split('\n').entries()) {
    const [, name] = /^\s*(?:export\s+)?(POSTROAD_\w+)(?!\w|\s*=)/i.exec(line) ?? []
    if (name === undefined || name in values) continue
    throw new SettingsError(
      `Line ${index + 1} of ${path} names ${name} but does not set it: write ${name}=VALUE, with an equals sign.`,
    )
  }
  return values
}

function ours(env: Environment): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, text] of Object.entries(env)) {
    // An empty value means unset: compose files and shells pass on unfilled variables as empty ones.
    if (/^POSTROAD_/i.test(name) && text !== undefined && text.trim() !== '') own[name] = text.trim()
  }
  return own
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new SettingsError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function readConfigFile(path: string): Record<string, string> {
  const text = readIfThere(path)
  if (text === null)
    throw new SettingsError(
      `POSTROAD_CONFIG names ${resolve(path)}, but that file does not exist: correct the path, or unset it.`,
    )
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw new SettingsError(`${path} is not valid JSON: ${(cause as Error).message}`, { cause })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new SettingsError(`${path} must hold one JSON object, like {"POSTROAD_LISTEN": "127.0.0.1:8587"}.`)
  }
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    if (value === null) continue
    const items: unknown[] = Array.isArray(value) ? value : [value]
    if (!items.every((item) => ['string', 'number', 'boolean'].includes(typeof item))) {
      throw new SettingsError(
        `${name} in ${path} must be a string, a number, true, false, or a list of those.`,
      )
    }
    const joined = items.join(',').trim()
    if (joined !== '') values[name] = joined
  }
  return values
}

function checkNames({ label, values }: SettingSource): void {
  for (const name of Object.keys(values)) {
    if (name in SETTINGS) continue
    const where = label === 'environment' ? 'in the environment' : `in ${label}`
    const near = nearestSetting(name.toUpperCase())
    throw new SettingsError(
      `${name} ${where} is not a setting.${near ? ` Did you mean ${near}?` : ''} ` +
        'All settings: docs/configuration.md, or `bin/postroad settings`.',
    )
  }
}

function lookUpSetting(name: SettingName, sources: SettingSource[]): { text: string | null; label: string } {
  for (const { label, values } of sources) {
    const text = values[name]
    if (text !== undefined) return { text, label }
  }
  return { text: defaultOf(name), label: 'default' }
}

function parseSetting(name: SettingName, sources: SettingSource[]): unknown {
  const { text, label } = lookUpSetting(name, sources)
  if (text === null) return null
  const definition: Setting<unknown> = SETTINGS[name]
  try {
    return definition.parse(text)
  } catch (cause) {
    if (!(cause instanceof SettingValueError)) throw cause
    const place = label === 'environment' ? '' : ` (from ${label})`
    throw new SettingsError(
      `${name} is "${maskSecret(name, text)}"${place}, which is not allowed: ${cause.message}.` +
        (cause instanceof SettingFormError
          ? ''
          : // The backticks are for the reference page.
            ` Allowed: ${definition.allowed.replaceAll('`', '')}.`),
    )
  }
}

function nearestSetting(name: string): SettingName | null {
  return nearestName(name, SETTING_NAMES, Math.max(3, Math.floor((name.length - 'POSTROAD_'.length) / 2)))
}

/** RFC 5321 2.3.5: public names have at least two labels; the last label of an IP address is a number. */
function isFullyQualified(hostname: string): boolean {
  return /\.(?!\d+\.?$)[^.]+\.?$/.test(hostname) && hostname !== 'localhost.localdomain'
}
