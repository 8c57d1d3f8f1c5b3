/** A small OpenID Connect provider over real HTTP, which identifies a person, or lies as the test wants. */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Claims {
  sub: string
  email?: string
  email_verified?: boolean
}

type Answer = [status: number, body: object, headers?: Record<string, string>]

export class Provider {
  readonly url: string
  /** The person at the browser. */
  claims: Claims = { sub: 'nobody' }
  /** What ID tokens say instead. */
  lies: Record<string, unknown> = {}
  /** Only clients that request it get the address. */
  byUserInfo = false
  readonly #server: Server
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #codes = new Map<string, URLSearchParams>()

  static async start(): Promise<Provider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Provider(server)
  }

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/staff`
    server.on('request', async (request, response) => {
      const [status, body, headers] = await this.#answer(request)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** The browser goes there and says yes: the query it is sent back with. */
  agree(url: string): string {
    const asked = new URL(url).searchParams
    const code = randomUUID()
    this.#codes.set(code, asked)
    return new URLSearchParams({ code, state: asked.get('state')!, iss: this.url }).toString()
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const path = request.url!.slice(new URL(this.url).pathname.length)
    if (path === '/.well-known/openid-configuration') {
      return [
        200,
        {
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          userinfo_endpoint: `${this.url}/userinfo`,
          jwks_uri: `${this.url}/keys`,
          authorization_response_iss_parameter_supported: true,
          code_challenge_methods_supported: ['S256'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      ]
    }
    if (path.startsWith('/authorize?')) {
      const url = `${this.url}${path}`
      const location = `${new URL(url).searchParams.get('redirect_uri')}?${this.agree(url)}`
      return [302, {}, { location }]
    }
    if (path === '/keys') {
      const key = this.#keys.publicKey.export({ format: 'jwk' })
      return [200, { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'one' }] }]
    }
    if (path === '/userinfo') return [200, this.claims]
    if (path === '/token') return await this.#token(new URLSearchParams(await text(request)))
    return [404, {}]
  }

  async #token(given: URLSearchParams): Promise<[status: number, body: object]> {
    const asked = this.#codes.get(given.get('code') ?? '')
    this.#codes.delete(given.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    const right =
      asked?.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === given.get('redirect_uri') &&
      given.get('client_secret') === 'client secret'
    if (!right) return [400, { error: 'invalid_grant' }]
    const claims = this.byUserInfo ? { sub: this.claims.sub } : this.claims
    const now = Math.floor(Date.now() / 1000)
    const id_token = this.#signed({
      ...{ ...claims, iss: this.url, aud: asked.get('client_id'), nonce: asked.get('nonce') },
      ...{ iat: now, exp: now + 60 },
      ...this.lies,
    })
    return [200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token }]
  }

  /** RFC 7515, with RS256. */
  #signed(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const head = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`
    return `${head}.${sign('sha256', Buffer.from(head), this.#keys.privateKey).toString('base64url')}`
  }
}
