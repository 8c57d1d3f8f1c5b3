/**
 * Settings of the section "Service": how clients and people reach the service, its names, domains, console, and its own
 * mail.
 */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { parseAddress, parseAddresses } from '../parse/email-address.ts'
import { parseMailbox } from '../parse/mailbox.ts'
import { parseHostName, parseHostPort, parseRanges } from '../parse/network.ts'
import { durationOrOff, durationWithin } from '../parse/quantity.ts'
import { parseBounceListen, parseSubmission } from '../parse/smtp-listener.ts'
import { parseBaseUrl, parseHttpUrl, parseIssuer } from '../parse/url.ts'
import { setting } from '../setting.ts'
import type { HostPort } from '../values.ts'

export const SERVICE_SETTINGS = {
  POSTROAD_LISTEN: setting({
    section: 'Service',
    field: 'listen',
    parse: parseHostPort,
    default: '127.0.0.1:8587',
    allowed: 'host:port; port 0 picks a free port; an empty host means every address of the machine',
    description: 'Address that the HTTP endpoints listen on.',
    example: '0.0.0.0:8587',
  }),
  POSTROAD_TLS_CERT: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; requires POSTROAD_TLS_KEY',
    description:
      'Certificate chain. With it, the service speaks HTTPS, which form clients require, and TLS for SMTP submission. ' +
      'The service reads it again when the file changes.',
    example: '/etc/postroad/fullchain.pem',
  }),
  POSTROAD_TLS_KEY: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; requires POSTROAD_TLS_CERT',
    description: 'Private key of the certificate.',
    example: '/etc/postroad/privkey.pem',
  }),
  POSTROAD_SUBMISSION_LISTEN: setting({
    section: 'Service',
    field: null,
    parse: parseSubmission,
    default: 'auto',
    allowed:
      '`auto`, `off`, or addresses separated by commas: `smtps://host:port` (implicit TLS; default port 465) and ' +
      '`smtp://host:port` (STARTTLS; default port 587); port 0 picks a free port, an empty host means every address of the machine; ' +
      '`smtp://...?tls=opportunistic` also accepts logins without TLS; `?proxy=on` expects the PROXY protocol (v1 or v2) from a load balancer; ' +
      '`smtp://...?login=off`, in capture mode only, accepts mail without a login',
    description:
      'Addresses for SMTP submission. `auto` means: in capture mode, if POSTROAD_LISTEN is an address that only this machine can ' +
      'reach, the ports 1025 and 2525 of that address without a login (a port that another program uses is skipped); otherwise `off`. ' +
      'Without a login (`?login=off`), mail is accepted from any From address and belongs to the oldest company. ' +
      'At addresses with a login, programs log in with any user name and an API key as the password. The listeners use the certificate of ' +
      'POSTROAD_TLS_CERT, and run on nodes with the role `api`. Without TLS, only programs on this machine may log in, unless `?tls=opportunistic` states that the network in ' +
      'between is yours. Behind a load balancer, `?proxy=on` makes the address of the client count instead of the address of the balancer: then only ' +
      'proxies of POSTROAD_TRUSTED_PROXIES may connect, and each connection must begin with a PROXY protocol header.',
    example: 'smtps://0.0.0.0:465, smtp://0.0.0.0:587',
  }),
  POSTROAD_BOUNCE_LISTEN: setting({
    section: 'Service',
    field: 'bounceListeners',
    parse: parseBounceListen,
    default: 'off',
    allowed:
      '`off`, or addresses separated by commas: `smtp://host:port` (STARTTLS; default port 25); port 0 picks a free port, an empty host ' +
      'means every address of the machine; `?proxy=on` expects the PROXY protocol (v1 or v2) from a load balancer',
    description:
      'Addresses that receive returned mail: bounces, complaints and automatic replies to return paths, and mail to `postmaster@`, `abuse@`, `fbl@` and `reports@` of ' +
      'their hosts and of POSTROAD_HOSTNAME. Everything else is refused, and nothing is sent in answer. The MX records of the return-path hosts point to the machine. With the certificate of ' +
      'POSTROAD_TLS_CERT, STARTTLS is offered. Nodes with the role `api` listen.',
    example: 'smtp://0.0.0.0:25',
  }),
  POSTROAD_BOUNCE_MAILBOX: setting({
    section: 'Service',
    field: 'bounceMailbox',
    parse: parseMailbox,
    default: null,
    defaultShown: 'no mailbox is read',
    allowed:
      '`imaps://user:password@host[:port]/folder` (port 993, folder `INBOX`); `imap://...` (port 143, not encrypted) for a server on this machine',
    description:
      'Mailbox in which bounces and complaints arrive, for services that cannot receive mail on port 25. It is read over IMAP, by one node with the role ' +
      '`delivery` at a time, and messages that it has read are marked and stay in the mailbox. See [operations](operations.md#reading-bounces-from-a-mailbox).',
    example: 'imaps://bounces%40example.com:password@imap.example.com/INBOX',
    secret: 'url',
  }),
  POSTROAD_PUBLIC_URL: setting({
    section: 'Service',
    field: 'publicUrl',
    parse: parseBaseUrl,
    default: null,
    defaultShown: 'the address that each client has called',
    allowed: '`http://` or `https://`, a host, and optionally a port and a path',
    description:
      'Where clients reach the service. Links in its answers (to files and to further pages) begin with this URL. If it is not set, they ' +
      'begin with the Host of the request, or with X-Forwarded-Proto and X-Forwarded-Host if a proxy of POSTROAD_TRUSTED_PROXIES ' +
      'sets them; links in webhooks then begin with the address of POSTROAD_LISTEN. Unsubscribe links in mail of the form ' +
      'dialect are added only if POSTROAD_PUBLIC_URL is set.',
    example: 'https://mail.example.com',
  }),
  POSTROAD_TRUSTED_PROXIES: setting({
    section: 'Service',
    field: null,
    parse: parseRanges,
    default: null,
    defaultShown: 'none',
    allowed: 'IP addresses and ranges of them, separated by commas',
    description:
      'Proxies in front of the service that are trusted to name the client of a request: the client is the rightmost address in ' +
      'X-Forwarded-For that is not one of these proxies, and X-Forwarded-Proto and X-Forwarded-Host are used in links. Required behind a proxy for keys that are restricted to source networks; without ' +
      'it, the address of the proxy counts.',
    example: '10.0.0.0/24,2001:db8::5',
  }),
  POSTROAD_HOSTNAME: setting({
    section: 'Service',
    field: 'hostname',
    parse: parseHostName,
    default: machineName,
    defaultShown: "the machine's name",
    allowed: 'a host name',
    description:
      'Name of this service in EHLO and in the SPF record that it suggests. For direct delivery, the name must be fully qualified, because ' +
      "many mail servers refuse other names. It should resolve to the machine's address, and that address should resolve back to the name.",
    example: 'mail.example.com',
  }),
  POSTROAD_BOUNCE_HOST: setting({
    section: 'Service',
    field: 'bounceHost',
    parse: parseHostName,
    default: null,
    defaultShown: 'POSTROAD_HOSTNAME, where POSTROAD_BOUNCE_LISTEN is set; otherwise none',
    allowed: 'a host name',
    description:
      'Host name of the mail server that receives bounces. The MX records of return paths must name it. With it, `domain show` names a return path for every ' +
      'domain, and a domain whose records are right uses it in MAIL FROM. Set it if your own mail servers receive bounces and pass them on, and on nodes that do not listen.',
    example: 'bounces.mail.example.com',
  }),
  POSTROAD_DOMAIN_GRACE: setting({
    section: 'Service',
    field: 'domainGrace',
    parse: durationWithin('1s', '90d'),
    default: '3d',
    allowed: 'a duration from 1s to 90d',
    description:
      'How long a domain whose DKIM records have vanished from DNS may still send. Then its mail is held until DNS has ' +
      'them again, or `domain activate` is run. DNS that does not answer changes nothing.',
    example: '7d',
  }),
  POSTROAD_DKIM_ZONE: setting({
    section: 'Service',
    field: 'dkimZone',
    parse: parseHostName,
    default: null,
    defaultShown: 'none: each domain publishes its DKIM keys itself',
    allowed: 'a domain name',
    description:
      'Zone of yours in which the DKIM keys of domains are published. The owner of a domain then publishes two CNAME records once, and keys are ' +
      'replaced without the owner. `domain zone` prints the records of the zone. Applies to new domains, and to those that move with `domain update --dkim cname`.',
    example: 'dkim.example.net',
  }),
  POSTROAD_DKIM_ROTATION: setting({
    section: 'Service',
    field: 'dkimRotation',
    parse: durationOrOff('8d', '1825d'),
    default: '180d',
    allowed: '`off`, or a duration from 8d to 1825d',
    description:
      'How long a DKIM key in POSTROAD_DKIM_ZONE signs mail before the service switches to the next key. It switches only after DNS has had the record of the next ' +
      'key for an hour. `domain update --dkim-rotation` sets it for one domain.',
    example: '90d',
  }),
  POSTROAD_CONSOLE_LISTEN: setting({
    section: 'Service',
    field: 'console',
    parse: parseExtraListener,
    default: 'same',
    allowed: '`same` (on POSTROAD_LISTEN), `off`, or host:port',
    description:
      'Where the console is served, under `/console/`. With its own address, the console is served only there, and nothing else is, so that you ' +
      'can keep it inside your own network. That address also uses the certificate of POSTROAD_TLS_CERT. Nodes with the role `api` serve it.',
    example: '127.0.0.1:8588',
  }),
  POSTROAD_SESSION_LIFETIME: setting({
    section: 'Service',
    field: 'sessionLifetime',
    parse: durationWithin('5m', '365d'),
    default: '30d',
    allowed: 'a duration from 5m to 365d',
    description:
      'Longest time that people stay signed in to the console, however much they use it. An unused session ends after 14 days ' +
      'at the latest. A change also applies to existing sessions.',
    example: '7d',
  }),
  POSTROAD_METRICS_LISTEN: setting({
    section: 'Service',
    field: 'metrics',
    parse: parseExtraListener,
    default: 'off',
    allowed: '`off`, `same` (on POSTROAD_LISTEN), or host:port',
    description: 'Where `/metrics` (Prometheus text format) is served. It needs no key.',
    example: '127.0.0.1:9587',
  }),
  POSTROAD_SYSTEM_FROM: setting({
    section: 'Service',
    field: 'systemFrom',
    parse: parseAddress,
    default: null,
    defaultShown: 'the service sends no mail of its own',
    allowed: 'an address of a domain that sends',
    description:
      'Sender of the mail that the service itself sends: alerts (POSTROAD_ALERT_TO), invitations, links for forgotten passwords (with POSTROAD_PUBLIC_URL), ' +
      'and TLS reports. The mail is sent through the service, and belongs to the company of the domain.',
    example: 'postroad@example.com',
  }),
  POSTROAD_ALERT_TO: setting({
    section: 'Service',
    field: 'alertTo',
    parse: parseAddresses,
    default: null,
    defaultShown: 'nobody',
    allowed: 'addresses separated by commas; requires POSTROAD_SYSTEM_FROM',
    description:
      'Addresses that get an email when a check of `postroad doctor` finds a problem, and another when the problem is over. ' +
      'Each email is sent once, however many nodes there are.',
    example: 'ops@example.com',
  }),
  POSTROAD_ALERT_WEBHOOK: setting({
    section: 'Service',
    field: 'alertWebhook',
    parse: parseHttpUrl,
    default: null,
    defaultShown: 'none',
    allowed: 'a URL, `http://` or `https://`',
    description:
      'URL that gets the same alerts as JSON, in a POST request. The field `text` is a sentence for chat programs. A URL in a private network requires ' +
      'POSTROAD_ALLOW_PRIVATE_NETWORKS.',
    example: 'https://hooks.example.com/postroad',
    secret: 'all',
  }),
  POSTROAD_OIDC_ISSUER: setting({
    section: 'Service',
    field: null,
    parse: parseIssuer,
    default: null,
    defaultShown: 'no sign-in with a provider',
    allowed: 'the issuer of an OpenID Connect provider, an https:// URL; requires POSTROAD_OIDC_CLIENT_ID',
    description:
      'OpenID Connect provider that people can use to sign in to the console. Register the redirect URI `/console/sign-in` under ' +
      'POSTROAD_PUBLIC_URL with the provider. Signing in does not create accounts: people must be invited, and are recognized by the email address that the provider has verified. ' +
      'A provider on a private network, or without TLS, requires POSTROAD_ALLOW_PRIVATE_NETWORKS.',
    example: 'https://login.example.com/realms/staff',
  }),
  POSTROAD_OIDC_CLIENT_ID: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text; requires POSTROAD_OIDC_ISSUER',
    description: 'Client id of the service at the OpenID Connect provider.',
    example: 'postroad',
  }),
  POSTROAD_OIDC_CLIENT_SECRET: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text; requires POSTROAD_OIDC_ISSUER and POSTROAD_OIDC_CLIENT_ID',
    description: 'Client secret at the provider, if it has one. PKCE is used in either case.',
    example: '...',
    secret: 'all',
  }),
}

/** A listener that may be off, shared with the main one, or separate. */
function parseExtraListener(text: string): 'off' | 'same' | HostPort {
  const word = text.toLowerCase()
  return word === 'off' || word === 'same' ? word : parseHostPort(text)
}

/** The machine's name if it is valid in EHLO, otherwise `localhost`. */
function machineName(): string {
  const name = hostname().toLowerCase()
  try {
    return parseHostName(name)
  } catch {
    return 'localhost'
  }
}
