import type { RequiredTls } from '../../common/required-tls.ts'
import { isWeaker, type SmtpTarget } from '../smtp/target.ts'

/** The sender's demand on the connection takes the place of a weaker one. */
export function withOwnDemand<Target extends Pick<SmtpTarget, 'tls' | 'tlsSource'>>(
  target: Target,
  own: RequiredTls | null,
): Target {
  return own !== null && isWeaker(target.tls, own) ? { ...target, tls: own, tlsSource: 'domain' } : target
}
