/** The stored name of the server of an attempt: `mx1.x.test [192.0.2.1]:25`. */

/** The host in lower case, and the address if the name has one. */
export function parseServer(server: string): { host: string; address: string | null } {
  const parts = /^(\S+?)(?: \[([^\]]+)\])?(?::\d+)?$/.exec(server)
  return { host: (parts?.[1] ?? server).toLowerCase(), address: parts?.[2] ?? null }
}

/** The name of a server, as `parseServer` reads it. */
export function serverName({ host, address, port }: { host: string; address: string; port: number }): string {
  return `${host} [${address}]:${port}`
}
