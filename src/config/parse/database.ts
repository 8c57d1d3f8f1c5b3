import type { DatabaseSetting } from '../values.ts'
import { portNumber } from './network.ts'
import { decoded, parseUrl } from './url.ts'
import { SettingValueError } from './value-error.ts'
import { option } from './word.ts'

/** `sqlite:<path>` or `postgres://...`. */
export function parseDatabase(text: string): DatabaseSetting {
  if (/^sqlite:/i.test(text)) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    if (path === '' || path.includes('\0'))
      throw new SettingValueError('the path of the file is missing after "sqlite:"')
    return { engine: 'sqlite', path }
  }
  if (/^postgres(ql)?:\/\//i.test(text)) {
    return { engine: 'postgres', url: parsePostgres(text) }
  }
  throw new SettingValueError('it must begin with "sqlite:" or "postgres://"')
}

const POSTGRES_TLS = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/**
 * The options of libpq 18 and of the driver. An option that only libpq knows has no effect. It is allowed because other
 * programs may use the same URL.
 */
const POSTGRES_OPTIONS = new Set(
  (
    'user password passfile dbname database host hostaddr port service servicefile options connect_timeout client_encoding ' +
    'application_name fallback_application_name replication target_session_attrs load_balance_hosts keepalives keepalives_idle ' +
    'keepalives_interval keepalives_count tcp_user_timeout require_auth requirepeer channel_binding scram_client_key ' +
    'scram_server_key ssl sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslpassword sslcertmode sslrootcert ' +
    'sslcrl sslcrldir sslsni sslkeylogfile ssl_min_protocol_version ssl_max_protocol_version min_protocol_version ' +
    'max_protocol_version gssencmode krbsrvname gsslib gssdelegation oauth_issuer oauth_client_id oauth_client_secret ' +
    'oauth_scope uselibpqcompat binary statement_timeout lock_timeout idle_in_transaction_session_timeout query_timeout'
  ).split(' '),
)

/** The URL for the driver, in which libpq's words have libpq's meaning. */
function parsePostgres(text: string): string {
  const { username, password, hash, search, searchParams } = parseUrl(text)
  // The text before a # may look like a host, but be part of the password.
  if (hash !== '') throw new SettingValueError('it holds a "#"; in user and password write it as %23')
  decoded(username)
  decoded(password)
  for (const name of searchParams.keys()) {
    if (POSTGRES_OPTIONS.has(name)) continue
    // The text before an @ may look like an option, but be the end of a password.
    if (search.includes('@'))
      throw new SettingValueError('it has an unknown option; in user and password write ? as %3F')
    throw new SettingValueError(`"?${name}=" is not an option of a PostgreSQL URL`)
  }
  const port = searchParams.get('port')
  if (port !== null) portNumber(port, 1)
  const mode = searchParams.get('sslmode')
  if (mode === null) return text
  const tls = option('sslmode', mode, POSTGRES_TLS)
  if (tls === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw new SettingValueError(
      '"?sslmode=verify-ca" also needs the certificate authority: &sslrootcert=/path/to/ca.pem',
    )
  }
  // By default the driver treats these two modes as verify-full, and warns that this will change.
  const loose = tls === 'require' || tls === 'verify-ca'
  return loose && !searchParams.has('uselibpqcompat') ? `${text}&uselibpqcompat=true` : text
}
