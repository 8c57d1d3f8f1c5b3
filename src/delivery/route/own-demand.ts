import type { RequiredTls } from '../../common/required-tls.ts'
import type { SmtpTarget, TlsPolicy } from '../smtp/target.ts'

const BY_STRENGTH: readonly TlsPolicy[] = ['off', 'opportunistic', 'required', 'verified']

/** The sender's demand on the connection takes the place of a weaker one. */
export function withOwnDemand<Target extends Pick<SmtpTarget, 'tls' | 'tlsSource'>>(
  target: Target,
  own: RequiredTls | null,
): Target {
  if (own === null || BY_STRENGTH.indexOf(target.tls) >= BY_STRENGTH.indexOf(own)) return target
  return { ...target, tls: own, tlsSource: 'domain' }
}
