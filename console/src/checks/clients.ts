/** What of HTML and CSS mail programs do not know, by the data of Can I email, told once for each feature. */

export interface Unsupported {
  feature: string
  /** As people call them. */
  clients: string[]
}

const NAMES: Readonly<Record<string, string>> = {
  'apple-mail': 'Apple Mail',
  gmail: 'Gmail',
  outlook: 'Outlook',
  yahoo: 'Yahoo',
  'samsung-email': 'Samsung Email',
  thunderbird: 'Thunderbird',
}
const PLATFORMS: Readonly<Record<string, string>> = {
  'desktop-webmail': 'web',
  'mobile-webmail': 'mobile web',
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  'windows-mail': 'Windows Mail',
  macos: 'macOS',
}

/** The programs that are asked about. */
export const CLIENTS = Object.keys(NAMES).map((name) => `${name}.*`)
const MOST = 100
/** Every message has it, and every program makes do. */
const USUAL = new Set(['<body> element', '<html> element'])

/** From the sentences of doiuse-email: `` `display:flex` is not supported by `outlook.windows` ``. */
export function unsupportedIn(errors: readonly string[]): Unsupported[] {
  const features = new Map<string, Set<string>>()
  for (const error of errors) {
    const [, feature, client] = /^`(.{1,200})` is not supported by `([\w.-]{1,60})`$/.exec(error) ?? []
    if (feature === undefined || USUAL.has(feature)) continue
    const clients = features.get(feature) ?? new Set()
    features.set(feature, clients.add(clientName(client!)))
  }
  return [...features]
    .map(([feature, clients]) => ({ feature, clients: [...clients] }))
    .sort((a, b) => b.clients.length - a.clients.length)
    .slice(0, MOST)
}

function clientName(id: string): string {
  const [name = '', platform = ''] = id.split('.')
  return `${NAMES[name] ?? name} (${PLATFORMS[platform] ?? platform})`
}
