/**
 * The OpenID Connect provider of an installation: authorization code flow (OpenID Connect Core 3.1) with PKCE (RFC
 * 7636), state and nonce. Requests go through the same HTTP client as all outgoing requests.
 */
import type { Configuration, CustomFetch } from 'openid-client'
import type { OpenIdSettings } from '../config/settings.ts'
import type { SendRequest } from '../network/outgoing.ts'

/** Seconds for one request. */
const TIMEOUT = 10
/** Octets of a response: keys and metadata have a few thousand. */
const MAX = 512 * 1024
/** Ms after which the provider's metadata is fetched again. */
const KNOWN_FOR = 3_600_000

/** The values that the response is checked against. */
export interface OpenIdChecks {
  state: string
  nonce: string
  verifier: string
  redirectUri: string
}

/** A person's identity according to the provider. */
export interface OpenIdIdentity {
  issuer: string
  subject: string
  /** The email address; null unless the provider has verified it. */
  address: string | null
}

/** Loaded on first use: most installations have no provider. */
const library = () => import('openid-client')

export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #ask: SendRequest
  readonly #plain: boolean
  #known: { configuration: Promise<Configuration>; until: number } | null = null

  /** @param plain whether requests without TLS are allowed */
  constructor(settings: OpenIdSettings, ask: SendRequest, plain: boolean) {
    this.#settings = settings
    this.#ask = ask
    this.#plain = plain
  }

  /** The provider's host, for messages to people. */
  get host(): string {
    return new URL(this.#settings.issuer).host
  }

  /**
   * Returns the URL to send the browser to, and the checks to keep until the browser comes back. Rejects with any error
   * of the provider.
   */
  async begin(redirectUri: string): Promise<{ url: string; checks: OpenIdChecks }> {
    const openid = await library()
    const configuration = await this.#configuration()
    const checks = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
      redirectUri,
    }
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, checks }
  }

  /** @param query the query that the browser came back with, e.g. `code=...&state=...`. Rejects with any error in it */
  async identify(
    query: string,
    { state, nonce, verifier, redirectUri }: OpenIdChecks,
  ): Promise<OpenIdIdentity> {
    const openid = await library()
    const configuration = await this.#configuration()
    const answer = new URL(redirectUri)
    answer.search = query
    const tokens = await openid.authorizationCodeGrant(configuration, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    const { email, email_verified } = await this.#addressOf(configuration, claims, tokens.access_token)
    const address = typeof email === 'string' && email_verified === true ? email : null
    return { issuer: claims.iss, subject: claims.sub, address }
  }

  /**
   * Some providers put the address into the ID token, others return it from the UserInfo endpoint (OpenID Connect Core
   * 5.3).
   */
  async #addressOf(
    configuration: Configuration,
    claims: { sub: string; email?: unknown; email_verified?: unknown },
    token: string,
  ): Promise<{ email?: unknown; email_verified?: unknown }> {
    if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined)
      return claims
    const { fetchUserInfo } = await library()
    return await fetchUserInfo(configuration, token, claims.sub)
  }

  #configuration(): Promise<Configuration> {
    const now = performance.now()
    if (this.#known === null || now >= this.#known.until) {
      const configuration = this.#discover()
      const known = { configuration, until: now + KNOWN_FOR }
      this.#known = known
      configuration.catch(() => {
        if (this.#known === known) this.#known = null
      })
    }
    return this.#known.configuration
  }

  async #discover(): Promise<Configuration> {
    const openid = await library()
    const { issuer, clientId, clientSecret } = this.#settings
    const client = clientSecret === null ? openid.None() : openid.ClientSecretPost(clientSecret)
    return await openid.discovery(new URL(issuer), clientId, {}, client, {
      timeout: TIMEOUT,
      [openid.customFetch]: this.#fetch,
      ...(this.#plain && { execute: [openid.allowInsecureRequests] }),
    })
  }

  readonly #fetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`${method} is not supported`)
    const answer = await this.#ask({
      method,
      url: new URL(url),
      headers,
      maxOctets: MAX,
      timeoutMs: TIMEOUT * 1000,
      ...(body != null && { body: String(body) }),
      ...(signal && { signal }),
    })
    if (!answer.complete) throw new Error(`the answer of ${new URL(url).host} has more than ${MAX} octets`)
    const { status } = answer
    const empty = status === 204 || status === 205 || status === 304
    return new Response(empty ? null : new Uint8Array(answer.body), { status, headers: answer.headers })
  }
}
