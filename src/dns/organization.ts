/**
 * The domain that an organization has registered (`example.co.uk`), by the Public Suffix List; the name itself when the
 * list knows no more. Suffixes of registries that are no TLD count, because the domains below them belong to different
 * people.
 */
export async function organizationOf(name: string): Promise<string> {
  // At the first use: it brings the list.
  const { getDomain } = await import('tldts')
  return getDomain(name, { allowPrivateDomains: true }) ?? name
}
