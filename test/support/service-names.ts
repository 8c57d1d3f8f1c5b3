import type { ServiceNames } from '../../src/accounts/dns-records.ts'

/** The names of a service on one machine, which takes no bounces and no part in the DNS of its domains. */
export const SERVICE_NAMES: ServiceNames = {
  hostname: 'mail.service.test',
  sendingHosts: [{ name: 'mail.service.test', addresses: [] }],
  bounceHost: null,
  relayed: false,
  dkimZone: null,
  foreignReturnPath: false,
}
