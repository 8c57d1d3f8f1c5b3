import type { Email } from '../../email/fields.ts'
import { isWeaker, type SmtpTarget } from '../smtp/target.ts'

/** The sender's demand on the connection takes the place of a weaker one. */
export function withSenderDemand<Target extends Pick<SmtpTarget, 'tls' | 'tlsSource'>>(
  target: Target,
  { tls: own, tlsByMessage }: Pick<Email, 'tls' | 'tlsByMessage'>,
): Target {
  return own !== null && own !== 'none' && isWeaker(target.tls, own)
    ? { ...target, tls: own, tlsSource: tlsByMessage ? 'message' : 'domain' }
    : target
}
