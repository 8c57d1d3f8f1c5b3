/** The URL through which clients reach this service: the beginning of links in its answers. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { ClientAddress } from '../ingress/client-address.ts'
import { hostPort } from '../network/host-port.ts'

/** RFC 9110 7.2: uri-host and port. */
const HOST = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_.])?)(?::(?<port>\d{1,5}))?$/i

export class PublicUrl {
  readonly #configured: string | null
  readonly #address: ClientAddress
  readonly #port: (() => number) | null

  /**
   * `configured`: POSTROAD_PUBLIC_URL; without it, links point to the host that the client has called. `port`: that of
   * another listener on the same machine, for links to it.
   */
  constructor(configured: string | null, address: ClientAddress, port: (() => number) | null = null) {
    this.#configured = configured
    this.#address = address
    this.#port = port
  }

  /** POSTROAD_PUBLIC_URL, for links that are not only for the client of the request. */
  get configured(): string | null {
    return this.#configured
  }

  /**
   * E.g. `https://mail.example.com`, without a final slash. The Host of a request only affects the answer to it;
   * X-Forwarded-Host and -Proto count when they come from a trusted proxy.
   */
  urlOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    if (this.#configured !== null) return this.#configured
    const { headers, socket } = request
    const isProxied = this.#address.isProxied(request)
    const forwarded = (name: string) => (isProxied ? first(headers[name]) : undefined)
    const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
    const proto = forwarded('x-forwarded-proto')?.toLowerCase()
    const host = [forwarded('x-forwarded-host'), headers.host].find(
      (name) => name !== undefined && isHost(name),
    )
    const called = `${proto === 'http' || proto === 'https' ? proto : scheme}://${host ?? own(socket)}`
    return this.#port === null ? called : withPort(called, this.#port())
  }
}

function withPort(called: string, port: number): string {
  const url = new URL(called)
  url.port = String(port)
  return url.origin
}

/** Whether the text is a host with a possible port. Clients cannot parse a URL with any other port. */
function isHost(text: string): boolean {
  const found = HOST.exec(text)
  if (found === null) return false
  const port = Number(found.groups!.port ?? 80)
  return port >= 1 && port <= 65_535
}

/** When several proxies have added values, the first one describes the client's request. */
function first(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header
  return /^[^,]*/.exec(text ?? '')?.[0].trim()
}

/** The local address of the connection. */
function own({ localAddress = 'localhost', localPort = 80 }: IncomingMessage['socket']): string {
  return hostPort(localAddress, localPort)
}
