/** A host and a port as in a URL: an IPv6 address is in brackets (RFC 3986 3.2.2). */
export function hostPort(host: string, port: number | string): string {
  return `${bracketed(host)}:${port}`
}

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
