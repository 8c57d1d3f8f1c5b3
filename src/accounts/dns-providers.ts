/** The DNS providers that are known by the names of their servers, and how each wants records to be entered. */

export interface DnsProvider {
  /** As its customers know it. */
  name: string
  /** Where its customers sign in. */
  url: string
  /** Where to click, from there to the form of a new record. */
  steps: readonly string[]
  /**
   * Names are entered without the zone, which the provider appends. This stands for the zone itself; empty: nothing.
   */
  apex: '@' | ''
  /** Values that are host names end with a dot; without it, the provider appends the zone. */
  endsHosts: boolean
  /** Values of TXT records are entered in double quotes, in strings of at most 255 octets (RFC 1035 3.3.14). */
  quotesText: boolean
  /** The value of an MX record begins with its priority, which has no field of its own. */
  joinsPriority: boolean
  /** Other peculiarities, as sentences. */
  notes: readonly string[]
}

interface KnownProvider extends DnsProvider {
  /** Matches the names of its servers. */
  servers: RegExp
}

const PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'Cloudflare',
    servers: /\.ns\.cloudflare\.com$|\.foundationdns\.(com|net|org)$/,
    url: 'https://dash.cloudflare.com/?to=/:account/:zone/dns/records',
    steps: ['Choose the domain.', 'Open "DNS", then "Records".', 'Click "Add record".'],
    apex: '@',
    endsHosts: false,
    quotesText: false,
    joinsPriority: false,
    notes: ['Switch "Proxy status" off ("DNS only") where it is offered, as for CNAME and A records.'],
  },
  {
    name: 'Amazon Route 53',
    servers: /\.awsdns-\d+\.(com|net|org|co\.uk)$/,
    url: 'https://console.aws.amazon.com/route53/v2/hostedzones',
    steps: ['Choose the hosted zone of the domain.', 'Click "Create record", with "Simple routing".'],
    apex: '',
    endsHosts: false,
    quotesText: true,
    joinsPriority: true,
    notes: [
      'A name has one record for each type, and several values are lines of it: add a line where a TXT record exists.',
    ],
  },
  {
    name: 'Gandi',
    servers: /\.gandi\.net$/,
    url: 'https://admin.gandi.net/domain',
    steps: ['Choose the domain.', 'Open the tab "DNS Records".', 'Click "Add record".'],
    apex: '@',
    endsHosts: true,
    quotesText: false,
    joinsPriority: false,
    notes: [],
  },
  {
    name: 'Hetzner',
    servers: /\.ns\.hetzner\.(com|de)$/,
    url: 'https://console.hetzner.com/projects',
    steps: ['Open the project with the zone, then "DNS".', 'Choose the zone.', 'Click "Add record".'],
    apex: '@',
    endsHosts: true,
    quotesText: false,
    joinsPriority: false,
    notes: [],
  },
  {
    name: 'OVHcloud',
    servers: /\.ovh\.(net|ca)$|\.anycast\.me$/,
    url: 'https://www.ovh.com/manager/#/web/zone',
    steps: [
      'Open "Web Cloud", then "Domain names", and choose the domain.',
      'Open the tab "DNS zone".',
      'Click "Add an entry" and choose the type; for text choose TXT, not the forms for SPF, DKIM and DMARC.',
    ],
    apex: '',
    endsHosts: true,
    quotesText: false,
    joinsPriority: false,
    notes: [],
  },
  {
    name: 'Namecheap',
    servers: /\.registrar-servers\.com$/,
    url: 'https://ap.www.namecheap.com/domains/list/',
    steps: [
      'Click "Manage" beside the domain.',
      'Open the tab "Advanced DNS".',
      'Click "Add new record" under "Host records".',
    ],
    apex: '@',
    endsHosts: false,
    quotesText: false,
    joinsPriority: false,
    notes: ['MX records are entered under "Mail settings" on the same tab, with "Custom MX".'],
  },
  {
    name: 'GoDaddy',
    servers: /\.domaincontrol\.com$/,
    url: 'https://dcc.godaddy.com/control/portfolio',
    steps: ['Choose the domain.', 'Open "DNS", then "DNS records".', 'Click "Add new record".'],
    apex: '@',
    endsHosts: false,
    quotesText: false,
    joinsPriority: false,
    notes: [],
  },
  {
    name: 'IONOS',
    servers: /\.ui-dns\.(com|de|org|biz)$/,
    url: 'https://my.ionos.com/domains',
    steps: ['Choose the domain under "Domains & SSL".', 'Open the tab "DNS".', 'Click "Add record".'],
    apex: '@',
    endsHosts: false,
    quotesText: false,
    joinsPriority: false,
    notes: [],
  },
]

/** The provider of a zone; null: none that is known. `nameServers`: in lower case without a final dot. */
export function dnsProviderOf(nameServers: readonly string[]): DnsProvider | null {
  const known = PROVIDERS.find(({ servers }) => nameServers.some((name) => servers.test(name)))
  if (known === undefined) return null
  const { servers: _, ...provider } = known
  return provider
}
