import type { MessageTls } from '../../common/required-tls.ts'
import { isWeaker, type SmtpTarget } from '../smtp/target.ts'

/** The sender's demand on the connection takes the place of a weaker one. */
export function withOwnDemand<Target extends Pick<SmtpTarget, 'tls' | 'tlsSource'>>(
  target: Target,
  own: MessageTls | null,
): Target {
  return own !== null && own !== 'none' && isWeaker(target.tls, own)
    ? { ...target, tls: own, tlsSource: 'domain' }
    : target
}
