/** HTML and CSS features that mail programs do not support, by the data of Can I email. */

export interface Unsupported {
  feature: string
  /** The mail programs as people know them, such as Gmail on iOS. */
  clients: { program: string; platform: string }[]
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

/** The programs that a message is checked for. */
export const CLIENTS = Object.keys(NAMES).map((name) => `${name}.*`)
const MAX = 100
/** Elements in every message, which all programs cope with. */
const USUAL = new Set(['<body> element', '<html> element'])

/** Parses the sentences of doiuse-email: `` `display:flex` is not supported by `outlook.windows` ``. */
export function unsupportedIn(errors: readonly string[]): Unsupported[] {
  const features = new Map<string, Set<string>>()
  for (const error of errors) {
    const [, feature, client] = /^`(.{1,200})` is not supported by `([\w.-]{1,60})`$/.exec(error) ?? []
    if (feature === undefined || USUAL.has(feature)) continue
    const clients = features.get(feature) ?? new Set()
    features.set(feature, clients.add(client!))
  }
  return [...features]
    .map(([feature, clients]) => ({ feature, clients: [...clients].map(clientOf) }))
    .sort((a, b) => b.clients.length - a.clients.length)
    .slice(0, MAX)
}

function clientOf(id: string): Unsupported['clients'][number] {
  const [name = '', platform = ''] = id.split('.')
  return { program: NAMES[name] ?? name, platform: PLATFORMS[platform] ?? platform }
}
